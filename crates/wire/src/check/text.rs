//! Text in JSON.

/// Appends a text as a JSON string.
///
/// ```
/// let mut out = Vec::new();
/// tollgate_wire::check::write_text("a\"b\n", &mut out);
/// assert_eq!(out, br#""a\"b\n""#);
/// ```
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    if text.bytes().all(is_plain) {
        out.extend_from_slice(text.as_bytes());
    } else {
        text.bytes().for_each(|byte| write_byte(byte, out));
    }
    out.push(b'"');
}

const fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

fn write_byte(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(br"\n"),
        b'\r' => out.extend_from_slice(br"\r"),
        b'\t' => out.extend_from_slice(br"\t"),
        0..=0x1f => {
            let low = byte & 0xf;
            let digit = if low < 10 {
                b'0' + low
            } else {
                b'a' + low - 10
            };
            out.extend_from_slice(br"\u00");
            out.extend_from_slice(&[b'0' + (byte >> 4), digit]);
        }
        _ => out.push(byte),
    }
}
