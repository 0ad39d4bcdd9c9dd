//! What must hold for any bytes.

use tollgate_wire::resp::{Decoded, Decoder, FRAME_BYTES_MAX, ProtocolError};

use super::{ModelEnd, model};

/// Longer than any message about bytes that are no command.
const MESSAGE_BYTES_MAX: usize = 128;

/// Reads arbitrary bytes as a stream of commands. Whatever they are: no panic; all at once, byte by byte
/// and in halves they are the same commands with the same end, those of the model; an error is one short
/// line.
///
/// ```
/// tollgate_testkit::resp::any_bytes(b"*1\r\n$4\r\nPING\r\nping 'a b'\r\n");
/// tollgate_testkit::resp::any_bytes(b"*1000000000\r\n");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn any_bytes(stream: &[u8]) {
    let expected = model(stream);
    assert_eq!(decoded([stream]), expected, "{stream:?} at once");
    assert_eq!(decoded(stream.chunks(1)), expected, "{stream:?} byte by byte");
    let (one, two) = stream.split_at(stream.len() / 2);
    assert_eq!(decoded([one, two]), expected, "{stream:?} in halves");
    if let ModelEnd::Broken(error) = expected.1 {
        let message = error.to_string();
        assert!(message.starts_with("Protocol error: "), "{message}");
        assert!(message.len() <= MESSAGE_BYTES_MAX, "{message}");
        assert!(!message.contains(['\r', '\n']), "{message:?}");
    }
}

/// What the decoder makes of bytes that arrive in pieces, as a connection would use it.
///
/// # Panics
///
/// If the decoder remembers more or less than it should.
pub fn decoded<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Vec<Vec<u8>>>, ModelEnd) {
    let mut decoder = Decoder::new();
    let (mut commands, mut input, mut broken) = (Vec::new(), Vec::new(), None);
    for piece in pieces {
        input.extend_from_slice(piece);
        match take(&mut decoder, &input, &mut commands) {
            Ok(taken) => drop(input.drain(..taken)),
            Err(error) => {
                broken = Some(error);
                break;
            }
        }
        assert!(input.len() <= FRAME_BYTES_MAX + piece.len());
        assert!(decoder.is_within_a_command() || input.is_empty());
    }
    let end = broken.map_or(ModelEnd::Unfinished(input.len()), ModelEnd::Broken);
    (commands, end)
}

fn take(
    decoder: &mut Decoder,
    input: &[u8],
    commands: &mut Vec<Vec<Vec<u8>>>,
) -> Result<usize, ProtocolError> {
    let mut taken = 0;
    loop {
        match decoder.decode(&input[taken..])? {
            Decoded::Command(command) => {
                taken += command.taken();
                let words = [command.name()].into_iter().chain(command.args());
                let words: Vec<Vec<u8>> = words.map(<[u8]>::to_vec).collect();
                if let Some(in_place) = command.args_in_input() {
                    assert!(in_place.eq(command.args()));
                }
                assert_eq!(command.args_len(), words.len() - 1);
                assert_eq!(command.arg(command.args_len()), None);
                commands.push(words);
            }
            Decoded::Empty { taken: more } => taken += more,
            Decoded::Unfinished => return Ok(taken),
        }
    }
}
