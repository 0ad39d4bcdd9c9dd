//! The pages of the manual, so that `cargo test` runs every piece of Rust in them.

macro_rules! pages {
    ($($name:ident = $path:literal)*) => {$(
        #[doc = include_str!(concat!("../../../", $path))]
        struct $name;
    )*};
}

pages! {
    Readme = "README.md"
    FirstLimiter = "docs/tutorials/first-limiter.md"
    BoundMemory = "docs/how-to/bound-memory.md"
    BringYourOwn = "docs/how-to/bring-your-own.md"
    ChangeLimitsLive = "docs/how-to/change-limits-live.md"
    RulesInYourProcess = "docs/how-to/rules-in-your-process.md"
    SeveralLimits = "docs/how-to/several-limits.md"
    SurviveARestart = "docs/how-to/survive-a-restart.md"
    TestWithAManualClock = "docs/how-to/test-with-a-manual-clock.md"
    Decisions = "docs/reference/decisions.md"
    Limits = "docs/reference/limits.md"
    MemoryStore = "docs/reference/memory-store.md"
    Algorithms = "docs/explanation/algorithms.md"
    Time = "docs/explanation/time.md"
}
