//! Ways to write the protected path, and what is nearly one.

use std::collections::BTreeSet;

use tollgate_testkit::Rng;

/// What a rule protects, and every server serves.
pub(super) const PROTECTED: &str = "/api/login";

/// How often the seed makes one up that has more than two oddities.
const RANDOM: usize = 600;
const ODDITIES_MAX: u64 = 4;

/// Before `/api`.
const BEFORE: &str = "/ // /. /%2e /./ /x/.. /x/%2E%2e /x/.%2E/ //x ///x /.//x /x/..//x //x/.. /;x /;x/.. /.; \
    /..;x /x;y/.. /\\x /%5cx /%2fx /x%2f.. /x\\.. /x#/.. /x#%2f.. /x%23/.. /x?/.. /.. /%00 /x//.. /x//../.. \
    /%252e /x/%252e%252e /x/%2e%2e%2f /x/..%2f http://x http://x/y/..";

/// Between `/api` and `/login`; what ends with the sign of a slash in disguise has none behind it.
const BETWEEN: &str = "/ // /. /%2e /./ /x/.. /x/%2E%2e /x/.%2E/ //.. //%2e%2e //%2E. //./.. /.//.. ///.. //x/../.. \
    //x/y/../../.. //;x/.. //x;/../.. /;x /;x/.. /;x/./.. /;x/x/../.. ; ;x ;x=1;y=2 /.; /.;x /..; /x/..; /x;y/.. \
    /x%2f.. /x\\.. /x/..%5cy /x#/.. # #x /x%23/.. ? /x?/.. %3f /%00 /%0a/.. /%252e /x/%252e%252e /%c0%ae /%e2%80%ae/..";

/// Instead of the slash between them.
const SLASHES: &str =
    "%2f %2F \\ %5c %5C %2f/ /%2f \\/ %252f %c0%af /%2e%2f //..%2f /..%2fapi%2f /..\\api\\";

/// Behind `/login`.
const BEHIND: &str = "/ // /// /. /%2e /./ //. .. . %2e %2E. /.. /../login /x/.. /x/%2E%2e/ //.. //../ //%2e%2E //./.. \
    //x/../.. ; ;x ;x/.. ;x/../login /;x /;x/ /;x/.. /;x/./.. /.; /..;x %3b ? ?x ?x=/../y # #x #/ #/.. #/../x %23 %3f \
    %20 %00 %00.png %0a %09 %2f %2f.. \\ \\.. %5c %5c.. %252f %25 + * ~ %c0%af %ff";

/// Other spellings of the names themselves.
const NAMES: &str = "/api/log%69n /%61pi/login /%61%70%69/%6c%6f%67%69n /api/lo%67in /API/login /api/Login \
    /api/%256cogin /api/%u006cogin /api/%6Cogin/%2e /api/login%";

/// All with two oddities beside each other, and some with others or with more, always the same ones.
pub(super) fn spellings() -> BTreeSet<String> {
    let [before, between, behind] = [BEFORE, BETWEEN, BEHIND].map(|list| {
        let words = list.split_whitespace();
        std::iter::once("").chain(words).collect::<Vec<&str>>()
    });
    let mut all: BTreeSet<String> = NAMES.split_whitespace().map(str::to_owned).collect();
    let spelled =
        |first: &str, second: &str, third: &str| format!("{first}/api{second}/login{third}");
    for first in &before {
        all.extend(between.iter().map(|second| spelled(first, second, "")));
    }
    for second in &between {
        all.extend(behind.iter().map(|third| spelled("", second, third)));
    }
    for slash in SLASHES.split_whitespace() {
        all.extend(before.iter().map(|first| format!("{first}/api{slash}login")));
        all.extend(behind.iter().map(|third| format!("/api{slash}login{third}")));
    }
    let mut rng = Rng::new(0x7061_7468);
    let mut some = |list: &[&str]| -> String {
        let count = rng.below(ODDITIES_MAX);
        (0..count).map(|_| rng.pick(list)).collect()
    };
    for _ in 0..RANDOM {
        all.insert(spelled(&some(&before), &some(&between), &some(&behind)));
    }
    all
}
