//! The JSON of a check: what is asked, and what is answered.
