//! The normal form of paths against a slow model of another shape, and the laws it keeps.

// Proves: R1

use tollgate_rules::{
    EndpointPattern,
    normalise::{Ambiguity, Path, PathError},
};
use tollgate_testkit::Rng;

/// A letter as the model sees it: what it is, and whether it was written as an escape.
#[derive(Clone, Copy, PartialEq)]
struct Letter {
    is: char,
    was_escaped: bool,
}

/// The letters of a path: runs of escapes become bytes, then text; everything else is itself.
fn letters(path: &str) -> Option<Vec<Letter>> {
    let mut letters = Vec::new();
    let mut run: Vec<u8> = Vec::new();
    let mut rest = path.chars();
    loop {
        let next = rest.next();
        if next == Some('%') {
            let digits = [rest.next()?.to_digit(16)?, rest.next()?.to_digit(16)?];
            run.push(u8::try_from(digits[0] * 16 + digits[1]).unwrap());
            continue;
        }
        let unescaped = String::from_utf8(std::mem::take(&mut run)).ok()?;
        letters.extend(unescaped.chars().map(|is| Letter { is, was_escaped: true }));
        match next {
            Some(is) => letters.push(Letter { is, was_escaped: false }),
            None => return Some(letters),
        }
    }
}

fn spelled(letter: Letter) -> String {
    let plain = if letter.was_escaped { "-._~" } else { "-._~!$&'()*+,=:@" };
    if letter.is.is_ascii_alphanumeric() || plain.contains(letter.is) {
        return letter.is.to_string();
    }
    letter.is.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The normal form: letters, then segments, then the ones that stay.
fn model(text: &str) -> Option<String> {
    let target = text.split('?').next()?;
    let path = target.split('#').next()?;
    let fragment = &target[path.len()..];
    if path.len() > Path::BYTES_MAX || fragment.contains(['/', '\\']) {
        return None;
    }
    let mut letters = letters(path)?.into_iter();
    let is = |sign: char| move |letter: &Letter| *letter == Letter { is: sign, was_escaped: false };
    if !letters.next().as_ref().is_some_and(is('/')) {
        return None;
    }
    let letters: Vec<Letter> = letters.collect();
    if letters.first().is_some_and(is('/')) {
        return None;
    }
    if letters.iter().any(|letter| letter.is.is_control() || is('\\')(letter)) {
        return None;
    }
    let mut names = Vec::new();
    for segment in letters.split(is('/')) {
        let name = segment.split(is(';')).next()?;
        let is_followed = segment.len() > name.len();
        let name: String = name.iter().map(|&letter| spelled(letter)).collect();
        // Parameters and dots, of which nobody knows where they lead.
        if is_followed && [".", ".."].contains(&&*name) {
            return None;
        }
        names.push(name);
    }
    one_reading(&names)
}

/// The path to which the two kinds of servers come: those that fold empty segments before they climb, and
/// those that climb over them. `None` if they come to different ones.
fn one_reading(names: &[String]) -> Option<String> {
    let climbed = |names: &mut dyn Iterator<Item = &String>| {
        let mut kept: Vec<String> = Vec::new();
        for name in names {
            match name.as_str() {
                "." => {}
                ".." => drop(kept.pop()?),
                _ => kept.push(name.clone()),
            }
        }
        Some(kept)
    };
    let folded_first = climbed(&mut names.iter().filter(|name| !name.is_empty()))?;
    let climbed_first = climbed(&mut names.iter())?;
    // A server that reads this once more takes a host out of it.
    if climbed_first.len() > 1 && climbed_first[0].is_empty() {
        return None;
    }
    let folded_last = climbed_first.into_iter().filter(|name| !name.is_empty());
    let is_same = folded_last.eq(folded_first.iter().cloned());
    is_same.then(|| format!("/{}", folded_first.join("/")))
}

/// What makes paths hard to read; each at the end of another gives new ones.
const PIECES: &str = concat!(
    "/|/|/|/|//|.|..|/.|/..|/../|/./|...|a|b|Z|9|api|%2e|%2E|%2e%2E|.%2e|%2f|%2F|%5c|\\|%25|",
    "%252e|%|%%|%z|%4|%4g|%41|%7e|~|%7E|%00|\0|%0a|\n|%7f|\x7f|%1F|é|%c3%a9|%C3%A9|%C3|%A9|",
    "%c3%28|%C2%80|\u{80}|%E2%82%AC|€|%F0%9F%92%A9|💩|%ED%A0%80|%F5%80%80%80|%C0%AF|;|;v=1|;%2e|/..;|/%2e%2e;x/|/.;/|/;/|?|",
    "?q=%zz|#|#f|#/| |%20|{id}|%7Bid%7D|*|@|%40"
);

/// A long path in normal form with one piece put in somewhere.
fn nearly_normal(rng: &mut Rng, pieces: &[&str]) -> String {
    let mut text = "/api/v1/users_and-more/8f14e45f/orders.json/items/17/x".to_owned();
    text.truncate(rng.index(text.len()) + 1);
    text.insert_str(rng.index(text.len()) + 1, rng.pick(pieces));
    text
}

fn nasty(rng: &mut Rng, pieces: &[&str]) -> String {
    if rng.one_in(4) {
        return nearly_normal(rng, pieces);
    }
    let mut text = String::new();
    if !rng.one_in(40) {
        text.push('/');
    }
    for _ in 0..rng.below(10) {
        // Mostly harmless, or nearly every text would be refused.
        let from = if rng.one_in(2) { &pieces[..17] } else { pieces };
        text.push_str(rng.pick(from));
        if rng.one_in(50) {
            text.extend(char::from_u32(u32::try_from(rng.below(0x3000)).unwrap()));
        }
    }
    text
}

fn is_borrowed(path: &Path<'_>, from: &str) -> bool {
    from.as_bytes().as_ptr_range().contains(&path.as_str().as_ptr())
}

#[test]
fn a_million_nasty_paths_agree_with_the_model() {
    let mut rng = Rng::new(15);
    let pieces: Vec<&str> = PIECES.split('|').collect();
    let (mut read, mut changed) = (0, 0);
    for _ in 0..1_000_000 {
        let text = nasty(&mut rng, &pieces);
        let path = Path::new(&text);
        let expected = model(&text);
        assert_eq!(path.as_ref().ok().map(Path::as_str), expected.as_deref(), "{text:?}: {path:?}");
        let (Ok(path), Some(expected)) = (path, expected) else {
            continue;
        };
        read += 1;
        changed += i32::from(expected != text);
        laws(&text, &path);
    }
    assert!(read > 300_000, "only {read} were paths");
    assert!(changed > 100_000, "only {changed} were changed");
}

fn laws(text: &str, path: &Path<'_>) {
    let normal = path.as_str();
    let again = Path::new(normal).unwrap();
    assert_eq!(again.as_str(), normal, "{text:?} twice");
    assert!(is_borrowed(&again, normal), "{normal:?} is normal and was copied");
    assert_eq!(
        is_borrowed(path, text),
        text.starts_with(normal) && is_only_tail(normal, &text[normal.len()..])
    );
    assert!(!normal.contains("//"), "{text:?} became {normal:?}");
    assert!(normal == "/" || !normal.ends_with('/'), "{text:?} became {normal:?}");
    assert!(normal.is_ascii(), "{text:?} became {normal:?}");
    for segment in path.segments() {
        assert!(!["", ".", ".."].contains(&segment), "{text:?} became {normal:?}");
    }
    let joined: String = path.segments().map(|segment| format!("/{segment}")).collect();
    assert_eq!(if joined.is_empty() { "/" } else { &joined }, normal);
}

/// What may follow a normal path without a copy being made: one slash, a query.
fn is_only_tail(normal: &str, tail: &str) -> bool {
    let tail = tail.strip_prefix('/').filter(|_| normal != "/").unwrap_or(tail);
    tail.is_empty() || tail.starts_with('?')
}

#[test]
fn patterns_are_normalised_as_paths_are() {
    let mut rng = Rng::new(16);
    let pieces: Vec<&str> = PIECES.split('|').collect();
    let mut read = 0;
    for _ in 0..200_000 {
        let text = nasty(&mut rng, &pieces);
        let path = Path::new(&text);
        match text.parse::<EndpointPattern>() {
            Ok(pattern) if !pattern.as_str().contains(['{', '*']) => {
                assert_eq!(path.unwrap().as_str(), pattern.as_str(), "{text:?}");
                assert!(pattern.matches(pattern.as_str()), "{text:?}");
                read += 1;
            }
            Ok(pattern) => {
                let again: EndpointPattern = pattern.as_str().parse().unwrap();
                assert_eq!(again, pattern, "{text:?}");
                assert!(path.is_ok(), "{text:?}");
            }
            Err(_) => assert!(path.is_err() || text.contains(['{', '}', '*']), "{text:?}"),
        }
    }
    assert!(read > 50_000, "only {read} were patterns");
}

#[test]
fn what_has_no_normal_form_says_why() {
    let long = format!("/{}", "a".repeat(Path::BYTES_MAX));
    let cases = [
        ("", PathError::NoSlash),
        ("api", PathError::NoSlash),
        ("*", PathError::NoSlash),
        ("http://host/", PathError::NoSlash),
        ("?/a", PathError::NoSlash),
        ("%2Fa", PathError::NoSlash),
        ("/%", PathError::Escape),
        ("/%4", PathError::Escape),
        ("/%4/x", PathError::Escape),
        ("/%+1", PathError::Escape),
        ("/a;%zz", PathError::Escape),
        ("/%C3%zz", PathError::Escape),
        ("/%00", PathError::Control),
        ("/a;x=%00", PathError::Control),
        ("/a\tb", PathError::Control),
        ("/%7F", PathError::Control),
        ("/%C2%85", PathError::Control),
        ("/\u{85}", PathError::Control),
        ("/%C3", PathError::Utf8),
        ("/%C3é", PathError::Utf8),
        ("/%80%80", PathError::Utf8),
        ("/%C0%AE%C0%AE/", PathError::Utf8),
        ("/%ED%A0%80", PathError::Utf8),
        ("/..", PathError::AboveRoot),
        ("/a/../../b", PathError::AboveRoot),
        ("/%2e%2e", PathError::AboveRoot),
        ("/a/..;%zz", PathError::Escape),
        ("/a/..;%00", PathError::Control),
        (&*long, PathError::TooLong { bytes: 8_193, max: 8_192 }),
    ];
    for (text, error) in cases {
        assert_eq!(Path::new(text), Err(error), "{text:?}");
        assert_eq!(model(text), None, "{text:?}");
    }
    let query = format!("/a?{}", "q".repeat(2 * Path::BYTES_MAX));
    assert_eq!(Path::new(&query).unwrap().as_str(), "/a");
    assert!(Path::new(&long[..Path::BYTES_MAX]).is_ok());
}

#[test]
fn what_servers_read_in_two_ways_says_which() {
    use Ambiguity::{
        Backslash, ClimbOverEmpty, DotsWithParameters, LeadingSlashes, SlashInFragment,
    };
    let cases = [
        (DotsWithParameters, "/..;x/ /a/..;/b /a/..; /a/%2e%2E;x=1/b /a/.%2e;/b /a/.;/b /a/%2e;"),
        (
            ClimbOverEmpty,
            "/a//.. /a//../b /a//%2e%2E/b /a//./../b /a/.//../b /a///../b /a//x/../../b \
             /a//x/y/../../../b /a//.%2e?q /a/x/..//../b /a/;/../b /a/;x=1/%2e%2e /a/;x/./../b \
             /a/;x/b/../../c /a//../a /a/;//../b",
        ),
        (
            LeadingSlashes,
            "// //a ///a //a/.. //../a //x/api?q /.//a /./..//a /a/..//b /%2e//a /;//a /;x/a //%zz",
        ),
        (Backslash, "/\\ /a\\b /a/..\\b /\\x/a /a;\\ "),
        (SlashInFragment, "/a#/ /a#/../b /a/#x/ /a#?b#/ /a#\\b //#/"),
    ];
    for (ambiguity, texts) in cases {
        for text in texts.split_whitespace() {
            // What follows a query says nothing, and what climbs too far climbs too far.
            let expected = match text {
                "/a#?b#/" => Ok("/a".to_owned()),
                "/./..//a" => Err(PathError::AboveRoot),
                _ => Err(PathError::Ambiguous(ambiguity)),
            };
            let read = Path::new(text).map(|path| path.as_str().to_owned());
            assert_eq!(read, expected, "{text:?}");
            assert_eq!(model(text), expected.ok(), "{text:?}");
        }
    }
    for (text, normal) in [
        ("/a//b", "/a/b"),
        ("/a//b/../c", "/a/c"),
        ("/a/../b//", "/b"),
        ("/a//", "/a"),
        ("/a/b/..//c", "/a/c"),
        ("/a/;x/b", "/a/b"),
        ("/;jsessionid=7", "/"),
        ("/a/b/../../c//d/.", "/c/d"),
        ("/a#", "/a"),
        ("/a?#/", "/a"),
        ("/a/..", "/"),
    ] {
        assert_eq!(Path::new(text).unwrap().as_str(), normal, "{text:?}");
        assert_eq!(model(text).as_deref(), Some(normal), "{text:?}");
    }
}
