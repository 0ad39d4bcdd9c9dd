//! A proxy's threads end with it.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener, TcpStream},
    time::Duration,
};

use tollgate_testkit::{proxy::Proxy, ran_alone, wait_for};

const LONG: Duration = Duration::from_secs(60);
const CONNECTIONS: usize = 8;

#[test]
fn the_threads_of_a_dropped_proxy_end() {
    // It counts all threads of its process.
    if ran_alone(module_path!(), "the_threads_of_a_dropped_proxy_end") {
        return;
    }
    let threads = || fs::read_dir("/proc/self/task").unwrap().count();
    let before = threads();
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let proxy = Proxy::to(server.local_addr().unwrap());
    let ends: Vec<_> = (0..CONNECTIONS)
        .map(|_| (TcpStream::connect(proxy.addr()).unwrap(), server.accept()))
        .collect();
    proxy.stall();
    wait_for("two threads for each, and the listener", LONG, || {
        (threads() == before + 1 + 2 * CONNECTIONS).then_some(())
    });
    drop(proxy);
    // The system takes a moment to forget a thread that has ended.
    wait_for("no thread is left", LONG, || (threads() == before).then_some(()));
    drop(ends);
}
