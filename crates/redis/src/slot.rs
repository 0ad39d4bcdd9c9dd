//! Which part of a Cluster a key belongs to.

/// One of the 16,384 parts of a Cluster's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(u16);

impl Slot {
    /// Where all keys of a single server are.
    pub(crate) const FIRST: Self = Self(0);
    /// How many there are.
    pub(crate) const COUNT: u16 = 16_384;

    /// The slot of a key: of what stands between its first braces, if anything does.
    pub(crate) fn of(key: &[u8]) -> Self {
        let tag = key.iter().position(|byte| *byte == b'{').and_then(|open| {
            let inside = key.get(open + 1..)?;
            let len = inside.iter().position(|byte| *byte == b'}')?;
            inside.get(..len).filter(|tag| !tag.is_empty())
        });
        Self(crc16(tag.unwrap_or(key)) % Self::COUNT)
    }

    /// Every one, in order.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self)
    }

    pub(crate) const fn get(self) -> u16 {
        self.0
    }
}

/// The checksum that Redis Cluster spreads keys by (XMODEM).
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| {
        let mut sum = sum ^ (u16::from(*byte) << 8);
        for _ in 0..8 {
            let carry = sum & 0x8000 != 0;
            sum <<= 1;
            if carry {
                sum ^= 0x1021;
            }
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: C2
    #[test]
    fn slots_are_those_of_redis() {
        assert_eq!(Slot::of(b"123456789").get(), 0x31c3 % Slot::COUNT);
        assert_eq!(Slot::of(b"foo").get(), 12_182);
        assert_eq!(Slot::of(b"rl:{foo}:x"), Slot::of(b"foo"));
        assert_eq!(Slot::of(b"{}foo"), Slot(crc16(b"{}foo") % Slot::COUNT));
        assert_eq!(Slot::of(b"{foo"), Slot(crc16(b"{foo") % Slot::COUNT));
    }
}
