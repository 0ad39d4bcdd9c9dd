//! JSON fit for a header.

/// Appends JSON so that it holds visible ASCII and blanks only: what is not, which JSON has within texts
/// only, becomes an escape.
pub(crate) fn write(json: &[u8], out: &mut Vec<u8>) {
    for chunk in json.utf8_chunks() {
        for sign in chunk.valid().chars() {
            match u8::try_from(sign) {
                Ok(byte @ b' '..=b'~') => out.push(byte),
                _ => escape(sign, out),
            }
        }
    }
}

/// How many bytes that are.
pub(crate) fn length(json: &[u8]) -> usize {
    let chunks = json.utf8_chunks().map(|chunk| chunk.valid());
    let signs = chunks.flat_map(str::chars);
    signs
        .map(|sign| match sign {
            ' '..='~' => 1,
            _ => ESCAPE_BYTES * sign.len_utf16(),
        })
        .sum()
}

/// `\u00e9`.
const ESCAPE_BYTES: usize = 6;

fn escape(sign: char, out: &mut Vec<u8>) {
    for unit in sign.encode_utf16(&mut [0; 2]) {
        out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::{length, write};

    #[test]
    fn any_text_survives() {
        for text in ["plain", "é", "\u{7f}", "日本", "🦀 a", "quote \" and \\ slash", "\r\nX: y"]
        {
            let json = serde_json::to_vec(&serde_json::json!({ "a": text })).unwrap();
            let mut header = Vec::new();
            write(&json, &mut header);
            assert_eq!(header.len(), length(&json));
            assert!(header.iter().all(|byte| (b' '..=b'~').contains(byte)));
            let read: serde_json::Value = serde_json::from_slice(&header).unwrap();
            assert_eq!(read["a"], text);
        }
    }
}
