//! Bytes to what was said.

use smallvec::smallvec;
use tollgate_wire::{
    check::{self, ProblemTold},
    http1::{After, AnswerDecoder, Answered},
    resp,
};

use super::connection::{Expected, Said};
use crate::{Error, Fault};

/// The status of what was answered, but not understood.
const BAD_GATEWAY: u16 = 502;

/// Reads what a connection says.
#[derive(Debug)]
pub(super) enum Reader {
    Http(AnswerDecoder),
    Resp {
        /// Replies to the greeting that are still to come.
        greetings: usize,
        callers: Option<u32>,
        /// What was said so far to a batch.
        said: Option<Said>,
    },
}

/// What the bytes of a connection hold.
#[derive(Debug)]
pub(super) struct Reading {
    /// How many bytes need not be shown again.
    pub(super) taken: usize,
    /// What was said to the oldest call, if it is whole.
    pub(super) said: Option<Said>,
    pub(super) after: After,
}

impl Reading {
    const fn nothing(taken: usize) -> Self {
        Self { taken, said: None, after: After::Keep }
    }
}

impl Reader {
    /// Reads the next answer to a call that expects so much; none is expected if there is no call.
    pub(super) fn read(
        &mut self,
        input: &[u8],
        expected: Option<Expected>,
    ) -> Result<Reading, Error> {
        match self {
            Self::Http(decoder) => http(decoder, input, expected),
            Self::Resp { .. } => self.resp(input, expected),
        }
    }

    fn resp(&mut self, input: &[u8], expected: Option<Expected>) -> Result<Reading, Error> {
        let Self::Resp { greetings, callers, said } = self else {
            return Ok(Reading::nothing(0));
        };
        let Some((reply, taken)) = resp::read_reply(input).map_err(unreadable)? else {
            return Ok(Reading::nothing(0));
        };
        if *greetings > 0 {
            *greetings -= 1;
            if let resp::Reply::Integer(number) = reply {
                *callers = u32::try_from(number).ok();
            }
            return Ok(Reading::nothing(taken));
        }
        let Some(expected) = expected else {
            return Err(unasked());
        };
        let read = check::read_decided(&reply);
        let (told, now) = read.unwrap_or_else(|unreadable| (Err(odd(unreadable)), None));
        *callers = now.or(*callers);
        let so_far =
            said.get_or_insert_with(|| Said { told: smallvec![], status: None, callers: None });
        so_far.told.push(told);
        so_far.callers = *callers;
        let is_whole = match expected {
            Expected::One => true,
            Expected::Batch(count) => so_far.told.len() == count,
        };
        Ok(Reading { taken, said: is_whole.then(|| said.take()).flatten(), after: After::Keep })
    }
}

fn http(
    decoder: &mut AnswerDecoder,
    input: &[u8],
    expected: Option<Expected>,
) -> Result<Reading, Error> {
    let answer = match decoder.decode(input).map_err(unreadable)? {
        Answered::Partial { taken } => return Ok(Reading::nothing(taken)),
        Answered::Whole(answer) => answer,
    };
    let Some(expected) = expected else {
        return Err(unasked());
    };
    // Where the next answer begins is known: what cannot be understood is the matter of one call.
    let told = match expected {
        Expected::Batch(count) if answer.status == 200 => match check::read_answers(answer.body) {
            Ok(told) if told.len() == count => told.into(),
            Ok(_) => smallvec![Err(odd("the batch was not answered whole"))],
            Err(unreadable) => smallvec![Err(odd(unreadable))],
        },
        Expected::One | Expected::Batch(_) => {
            let told = check::read_answer(answer.status, answer.body);
            smallvec![told.unwrap_or_else(|unreadable| Err(odd(unreadable)))]
        }
    };
    Ok(Reading {
        taken: answer.taken,
        said: Some(Said { told, status: Some(answer.status), callers: answer.callers }),
        after: answer.after,
    })
}

/// An answer that no server of ours would give.
fn odd(why: impl std::fmt::Display) -> ProblemTold {
    ProblemTold { status: BAD_GATEWAY, detail: format!("{why}").into(), reason: None }
}

fn unreadable(why: impl std::fmt::Display) -> Error {
    Error::new(Fault::Server, format!("{why}"))
}

fn unasked() -> Error {
    unreadable("the server answers what nobody asked")
}
