//! Numbers as values of header fields.

use http::HeaderValue;

/// Numbers below this are written without asking for memory.
const SMALL: usize = 1_000;
const DIGITS: usize = 3;

/// The digits of every small number, one after the other, with zeros before.
static DIGITS_OF: [u8; SMALL * DIGITS] = {
    let mut digits = [b'0'; SMALL * DIGITS];
    let mut number = 0;
    while number < SMALL {
        let mut rest = number;
        let mut place = DIGITS;
        while place > 0 {
            place -= 1;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::indexing_slicing,
                reason = "a digit fits; an index out of bounds would not compile"
            )]
            {
                digits[number * DIGITS + place] = b'0' + (rest % 10) as u8;
            }
            rest /= 10;
        }
        number += 1;
    }
    digits
};

/// The number, as a value. What makes one of a number asks for memory twice: this does it once.
pub(crate) fn value(number: u64) -> HeaderValue {
    match small(number) {
        Some(text) => HeaderValue::from_static(text),
        None => {
            let mut buffer = itoa::Buffer::new();
            let digits = buffer.format(number).as_bytes();
            HeaderValue::from_bytes(digits).unwrap_or_else(|_| HeaderValue::from(number))
        }
    }
}

fn small(number: u64) -> Option<&'static str> {
    let place = usize::try_from(number).ok().filter(|place| *place < SMALL)?;
    let zeros = match place {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    let digits = DIGITS_OF.get(place * DIGITS + zeros..(place + 1) * DIGITS)?;
    str::from_utf8(digits).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_written_as_it_is_read() {
        let numbers = (0..2_000).chain([u64::MAX]);
        // All of them live, so that none may be written over.
        let values: Vec<HeaderValue> = numbers.clone().map(value).collect();
        for (number, value) in numbers.zip(values) {
            assert_eq!(value.to_str().unwrap(), number.to_string());
        }
    }
}
