//! What is written is read, and nothing else.

use super::*;

fn past(name: &str, ending: Ending, users: usize) -> Past {
    let limits = [
        "100/min fixed_window",
        "5/3month sliding_window",
        "10/s burst 20 hard 120",
        "7/week leaky_bucket",
        "9/90s sliding_log",
    ];
    let limits = limits.map(tollgate_testkit::limit);
    let debit = |user: usize| {
        let debit = Debit {
            limit: limits[user % limits.len()].clone(),
            total: 1 << 52,
            at: Timestamp::from_micros(1_750_000_000_000_123),
            at_start: 3,
            at_start_before: 2,
        };
        (Key::read(&format!("rl:{{user:{name} {user}}}:7::1min")), debit)
    };
    Past {
        name: name.to_owned(),
        ending,
        sequence: 17,
        seen: Timestamp::from_secs(1_750_000_000),
        gap: 5,
        life: 60_000_000,
        debits: (0..users).map(debit).collect(),
    }
}

fn in_words(journal: &Journal) -> Vec<String> {
    let mut words = Vec::new();
    for past in &journal.processes {
        words.push(past.to_string());
        let debits = past.debits.iter();
        words.extend(debits.map(|(key, debit)| format!("{key:?} {debit:?}")));
    }
    words
}

// Proves: C7
#[test]
fn what_is_written_is_read() {
    let journal = Journal::of([past("n1", Ending::Open, 12), past("n2", Ending::Clean, 7)]);
    let read = Journal::read(&journal.to_bytes()).unwrap();
    // A minute may be read as so many milliseconds: what it counts is the same.
    let headers = |journal: &Journal| -> Vec<String> {
        let all = journal.processes.iter().flat_map(|past| &past.debits);
        let in_words = |limit: &Limit| format!("{} {}", InWords(limit), limit.capacity());
        all.map(|(_, debit)| in_words(&debit.limit)).collect()
    };
    assert_eq!(headers(&read), headers(&journal));
    assert_eq!(in_words(&read).len(), in_words(&journal).len());
    assert_eq!(Journal::read(&read.to_bytes()).unwrap(), read);
    assert_eq!((read.len(), read.processes.len()), (19, 2));
    assert_eq!(read.processes[1].ending, Ending::Clean);
    assert!(Journal::read(&Journal::default().to_bytes()).unwrap().is_empty());
}

// Proves: C7
#[test]
fn one_that_was_changed_or_cut_short_anywhere_is_not_believed() {
    let bytes = Journal::of([past("n1", Ending::Clean, 3)]).to_bytes();
    for end in 0..bytes.len() {
        assert!(Journal::read(&bytes[..end]).is_err(), "the first {end} bytes");
    }
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        assert!(Journal::read(&changed).is_err(), "byte {place}");
    }
    let newer = [HEAD.as_bytes(), b"2\nwhatever\n"].concat();
    assert_eq!(Journal::read(&newer), Err(JournalError::Version("2".to_owned())));
    assert_eq!(Journal::read(b"PK..."), Err(JournalError::Other));
}

// Proves: C7
#[test]
fn those_for_whom_there_is_no_room_are_left_out_whole() {
    let many = KEYS_MAX + 1;
    let pasts = [("a", many), ("b", many), ("c", 5)];
    let journal = Journal::of(pasts.map(|(name, users)| past(name, Ending::Clean, users)));
    let names: Vec<&str> = journal.processes.iter().map(|past| past.name.as_str()).collect();
    assert_eq!(names, ["a", "c"]);
}
