//! Writes the worked examples under `golden/` anew, from the models.

use std::{error::Error, fs, path::Path};

use tollgate_sim::golden;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    for file in golden::generate()? {
        fs::write(folder.join(file.name).with_extension("txt"), file.text)?;
    }
    Ok(())
}
