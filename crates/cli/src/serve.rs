//! `tollgate serve`

use std::{io::IsTerminal as _, time::Duration};

use anyhow::Context as _;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tollgate_server::{Capacity, Screen, Server, Settings};

use crate::{
    outcome::{Failure, Outcome},
    say::Format,
    settings::SettingFlags,
};

/// How long files that are being read are waited for once all is answered and saved.
const LAST_READS_MAX: Duration = Duration::from_secs(1);

/// Run the server
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A flag wins over its variable, that over the file (tollgate.toml), that over the default; \
    `tollgate config` shows what came of it. The token is not a flag, which others would see: \
    TOLLGATE_TOKEN or --token-file.\n\nSIGTERM and SIGINT stop the server once what is under way is \
    answered; SIGHUP reads the rules file again.\n\nExit codes: 0 stopped as asked; 1 it could not start."
)]
pub(crate) struct Serve {
    /// Check the settings, the rules file and the data folder, start nothing
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    settings: SettingFlags,
}

impl Serve {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let settings = self.settings.load(format)?.settings;
        if self.check {
            return rehearse(&settings, format);
        }
        tollgate_server::install_logs(&settings.logs).map_err(Failure::new)?;
        tollgate_server::raise_open_files();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .context("cannot start the runtime")?;
        let served = runtime.block_on(serve(settings, format));
        // A file that hangs while it is read must not keep the process.
        runtime.shutdown_timeout(LAST_READS_MAX);
        served?;
        Ok(Outcome::Fine)
    }
}

fn rehearse(settings: &Settings, format: Format) -> anyhow::Result<Outcome> {
    tollgate_server::rehearse(settings).map_err(|obstacles| {
        let failure = Failure::new(obstacles.join("\n"));
        failure.with("problems", json!(obstacles))
    })?;
    let capacity = Capacity::expected(settings);
    let (decisions, admin) = capacity.connections();
    format.say(
        || format!("the settings, the rules file and the data folder are sound\n{capacity}"),
        || {
            json!({
                "sound": true,
                "connections": { "http": decisions, "grpc": decisions, "resp": decisions, "admin": admin },
                "unfinished_bytes": capacity.unfinished_bytes(),
            })
        },
    )?;
    Ok(Outcome::Fine)
}

async fn serve(settings: Settings, format: Format) -> anyhow::Result<()> {
    // Before the ports are taken: a signal must never find us without an ear.
    let shutdown = asked_to_stop()?;
    let server = Server::start(settings).await?;
    let announcement = server.announcement(screen(format));
    format.say(|| announcement.to_string(), || announcement.to_json())?;
    announcement.printed();
    server.run(shutdown).await;
    Ok(())
}

/// JSON is for programs, which keep what they read.
fn screen(format: Format) -> Screen {
    match format {
        Format::Text if std::io::stdout().is_terminal() => Screen::Terminal,
        _ => Screen::Elsewhere,
    }
}

/// Done at the first SIGTERM or SIGINT.
fn asked_to_stop() -> anyhow::Result<impl Future<Output = ()> + Send> {
    let listen = |kind| signal(kind).context("cannot listen to signals");
    let (mut terminate, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
