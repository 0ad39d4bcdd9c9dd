//! What is said about limits that cannot work, word for word, and about those that can.

use tollgate_core::{AlgorithmName, Bands, Limit, LimitError, LimitSet};
use tollgate_testkit::{describe, limit};

/// Text that is no limit, and why.
const REFUSED: [(&str, &str); 34] = [
    ("", "limit \"\" has no period: write amount/period, for example 100/min"),
    ("100", "limit \"100\" has no period: write amount/period, for example 100/min"),
    ("100 per minute", "limit \"100 per minute\" is not written as amount/period: write 100/min"),
    (
        "5 requests every 30 Seconds",
        "limit \"5 requests every 30 Seconds\" is not written as amount/period: write 5/30s",
    ),
    (
        "5 per minute and user",
        "limit \"5 per minute and user\" has no period: write amount/period, for example 100/min",
    ),
    ("100\u{2215}min", "limit \"100∕min\" has no period: write amount/period, for example 100/min"),
    ("\0", "limit \"\\0\" has no period: write amount/period, for example 100/min"),
    ("0/min", ZERO_AMOUNT),
    ("000/min", ZERO_AMOUNT),
    ("/min", "amount \"\" in \"/min\"AMOUNT"),
    ("-5/min", "amount \"-5\" in \"-5/min\"AMOUNT"),
    ("+5/min", "amount \"+5\" in \"+5/min\"AMOUNT"),
    (" 5/min", "amount \" 5\" in \" 5/min\"AMOUNT"),
    ("5 /min", "amount \"5 \" in \"5 /min\"AMOUNT"),
    ("5_000/min", "amount \"5_000\" in \"5_000/min\"AMOUNT"),
    ("1.5/min", "amount \"1.5\" in \"1.5/min\"AMOUNT"),
    ("0x10/min", "amount \"0x10\" in \"0x10/min\"AMOUNT"),
    ("ten/min", "amount \"ten\" in \"ten/min\"AMOUNT"),
    ("٣/min", "amount \"٣\" in \"٣/min\"AMOUNT"),
    ("５/min", "amount \"５\" in \"５/min\"AMOUNT"),
    ("5\0/min", "amount \"5\\0\" in \"5\\0/min\"AMOUNT"),
    (
        "18446744073709551616/min",
        "amount \"18446744073709551616\" in \"18446744073709551616/min\"AMOUNT",
    ),
    ("100/", "period \"\" in \"100/\"UNIT"),
    ("5/30", "period \"30\" in \"5/30\"UNIT"),
    ("5/0s", "a period of 0 has no length: the least is 1ms, for example 5/30s"),
    ("100/sec", "unknown unit \"sec\" in \"100/sec\", did you mean \"s\"?KNOWN s"),
    ("100/m", "unknown unit \"m\" in \"100/m\", did you mean \"min\"?KNOWN min"),
    ("100/Hour", "unknown unit \"Hour\" in \"100/Hour\", did you mean \"h\"?KNOWN h"),
    ("100/ min", "unknown unit \" min\" in \"100/ min\", did you mean \"min\"?KNOWN min"),
    ("100/mnth", "unknown unit \"mnth\" in \"100/mnth\", did you mean \"month\"?KNOWN month"),
    ("5/-1s", "unknown unit \"-1s\" in \"5/-1s\", did you mean \"ms\"?KNOWN ms"),
    ("100/minuts", "unknown unit \"minuts\" in \"100/minuts\", did you mean \"min\"?KNOWN min"),
    ("5/104250day", "period \"104250day\" is too longLONGEST"),
    ("5/18446744073709551616s", "period \"18446744073709551616s\" is too longLONGEST"),
];

const ZERO_AMOUNT: &str = "a limit of 0 would let nothing pass: the least is 1, for example 1/min \
                           (to refuse everything use a rule with `action: block`)";

/// The ends that many messages share.
const ENDS: [(&str, &str); 4] = [
    ("AMOUNT", " is not a whole number from 1 to 18446744073709551615: write for example 100/min"),
    ("UNIT", " has no unit: units are ms, s, min, h, day, week and month, for example 5/30s"),
    ("KNOWN ", " units are ms, s, min, h, day, week and month, for example 100/"),
    ("LONGEST", ": the longest is 285 years, for example 1000000/day or 50/12month"),
];

// Proves: D2 (bad input is a typed error that says what was given, what is allowed, and an example)
#[test]
fn bad_texts_are_refused_with_the_reason_and_an_example() {
    for (text, expected) in REFUSED {
        let expected = ENDS
            .iter()
            .fold(expected.to_owned(), |message, (short, end)| message.replace(short, end));
        let error = text.parse::<Limit>().expect_err(text);
        assert_eq!(error.to_string(), expected, "{text:?}");
    }
    let long = format!("{}/min", "9".repeat(100));
    assert_eq!(
        long.parse::<Limit>().expect_err("too long").to_string(),
        "limit text has 104 bytes, at most 64 are read: write for example 100/min"
    );
}

fn assert_refused<T>(built: Result<T, LimitError>, expected: &str) {
    let error = built.map_err(|error| error.to_string());
    assert_eq!(error.err().as_deref(), Some(expected));
}

// Proves: D1 (section 12.7)
#[test]
fn a_burst_belongs_to_buckets() {
    for name in
        [AlgorithmName::FixedWindow, AlgorithmName::SlidingWindow, AlgorithmName::SlidingLog]
    {
        let expected = format!(
            "burst 20 on {name}: only token_bucket and leaky_bucket have a burst; leave out the \
             burst or the algorithm, for example {{ per: 10/s, burst: 20 }}"
        );
        let chosen = limit("10/s").with_algorithm(name).expect("a limit");
        assert_refused(chosen.with_burst(20), &expected);
        assert_refused(limit("10/s burst 20").with_algorithm(name), &expected);
    }
    let nothing =
        "a token_bucket with burst 0 would let nothing pass: the least is 1, for example 20";
    assert_refused(limit("10/s").with_burst(0), nothing);
    let queue = limit("10/s leaky_bucket").with_burst(0).expect("no queue");
    assert_eq!(queue.capacity(), 1);
    assert_refused(
        limit("10/s leaky_bucket").with_burst(u64::MAX),
        "the burst of a leaky_bucket plus one of 18446744073709551616 does not fit: the largest is \
         18446744073709551615, for example { per: 1000/s, burst: 5000 }",
    );
}

// Proves: D1
#[test]
fn unknown_algorithms_are_answered_with_the_nearest() {
    let mistyped = [
        ("tokenbucket", "token_bucket"),
        ("Token-Bucket", "token_bucket"),
        ("leaky", "leaky_bucket"),
        ("fixed-window", "fixed_window"),
        ("SLIDING_WINDOW", "sliding_window"),
        ("slidinglog", "sliding_log"),
        ("sliding_logs", "sliding_log"),
    ];
    for (given, nearest) in mistyped {
        let expected = format!(
            "unknown algorithm {given:?}, did you mean {nearest:?}? algorithms are token_bucket, \
             leaky_bucket, fixed_window, sliding_window and sliding_log, for example algorithm: \
             {nearest}"
        );
        assert_refused(given.parse::<AlgorithmName>(), &expected);
    }
    let endless = "x".repeat(100_000).parse::<AlgorithmName>().expect_err("no name");
    assert!(endless.to_string().len() < 400, "only its beginning is repeated");
    assert!("custom".parse::<AlgorithmName>().is_err(), "cannot be written in rules");
}

// Proves: D1 (a sliding log is for limits up to 1,000)
#[test]
fn sliding_logs_are_bounded() {
    let expected = |amount: u64| {
        format!(
            "sliding_log remembers every request, so its limit is at most 1000, not {amount}: use \
             sliding_window for larger limits, for example 100000/day"
        )
    };
    assert!(limit("1000/s").with_algorithm(AlgorithmName::SlidingLog).is_ok());
    assert_refused(limit("1001/s").with_algorithm(AlgorithmName::SlidingLog), &expected(1_001));
    let bands = Bands::new(80, 120).expect("bands");
    assert_refused(limit("900/s sliding_log").with_bands(bands), &expected(1_080));
}

// Proves: D10
#[test]
fn bands_are_percentages_that_do_not_cross() {
    for (warn_at, hard_at) in [(0, 100), (101, 120), (80, 99), (80, 1_001), (u16::MAX, u16::MAX)] {
        let expected = format!(
            "warn_at {warn_at}% and hard_at {hard_at}%: warn_at is from 1 to 100 and hard_at from \
             100 to 1000, for example warn_at: 80%, hard_at: 120%"
        );
        assert_refused(Bands::new(warn_at, hard_at), &expected);
    }
    let bands = Bands::new(80, 200).expect("bands");
    assert_refused(
        limit("18446744073709551615/s").with_bands(bands),
        "the limit at hard_at of 36893488147419103230 does not fit: the largest is \
         18446744073709551615, for example { per: 1000/s, burst: 5000 }",
    );
}

// Proves: D8
#[test]
fn sets_of_limits_have_one_of_each_period() {
    let same = "two limits per min on one key: a counter is known by its period, so keep one of \
                them, or write for example 10/s and 1000/h";
    assert_refused("10/s, 5/min, 6/min".parse::<LimitSet>(), same);
    let spelt = "two limits per 60s on one key: a counter is known by its period, so keep one of \
                 them, or write for example 10/s and 1000/h";
    assert_refused("5/min, 5/60s".parse::<LimitSet>(), spelt);
    let none = "no limit given: write at least one, for example 100/min";
    assert_refused(LimitSet::new([]), none);
    let many: Vec<String> = (1..=17).map(|count| format!("1/{count}s")).collect();
    assert_refused(
        many.join(",").parse::<LimitSet>(),
        "17 limits on one key, at most 16 are allowed: keep those that matter",
    );
    assert!("7/day, 7/week, 7/7day, 7/month, 7/30day".parse::<LimitSet>().is_ok());
    assert!("10/s,,5/min".parse::<LimitSet>().is_err());
}

/// Limits, as they print and what they mean.
const READ: [(&str, &str, &str); 20] = [
    ("100/min", "100/min sliding_window", "100 a minute, sliding"),
    ("1/h", "1/h sliding_window", "1 an hour, sliding"),
    ("007/1s", "7/s sliding_window", "7 a second, sliding"),
    ("5/30s", "5/30s sliding_window", "5 per 30 seconds, sliding"),
    ("5/60s", "5/60s sliding_window", "5 per 60 seconds, sliding"),
    ("9/250ms", "9/250ms sliding_window", "9 per 250 milliseconds, sliding"),
    ("100/week fixed_window", "100/week fixed_window", "100 a week, counted anew when each begins"),
    (
        "50/12month fixed_window",
        "50/12month fixed_window",
        "50 per 12 months, counted anew when each begins",
    ),
    ("1000/day sliding_log", "1000/day sliding_log", "1000 a day, never more in any such span"),
    ("100/min burst 20", "100/min token_bucket burst 20", "20 at once, then one every 600 ms"),
    ("10/s token_bucket", "10/s token_bucket", "10 at once, then one every 100 ms"),
    ("7/s burst 1", "7/s token_bucket burst 1", "1 at once, then one every 142.857 ms"),
    ("1/day burst 3", "1/day token_bucket burst 3", "3 at once, then one every 1 day"),
    ("2/week burst 3", "2/week token_bucket burst 3", "3 at once, then one every 3.5 days"),
    ("1000003/h burst 5", "1000003/h token_bucket burst 5", "5 at once, then one every 3.599 ms"),
    ("5000000/s burst 9", "5000000/s token_bucket burst 9", "9 at once, then 5000000 every 1 s"),
    (
        "18446744073709551615/104249day burst 18446744073709551615",
        "18446744073709551615/104249day token_bucket burst 18446744073709551615",
        "18446744073709551615 at once, then 18446744073709551615 every 104249 days",
    ),
    ("10/s leaky_bucket", "10/s leaky_bucket", "one every 100 ms, none may wait"),
    (
        "10/s leaky_bucket burst 5",
        "10/s leaky_bucket burst 5",
        "one every 100 ms, 5 more may wait their turn",
    ),
    (
        "10/min warn 50 hard 120",
        "10/min sliding_window warn 50 hard 120",
        "10 a minute, sliding; over the limit is logged, above 120% is denied",
    ),
];

// Proves: D1
#[test]
fn good_limits_print_back_and_explain_themselves() {
    for (text, printed, words) in READ {
        let read = limit(text);
        assert_eq!(describe(&read), printed);
        assert_eq!(limit(printed), read, "{text}");
        assert_eq!(read.explain(), words, "{text}");
    }
}
