//! What is measured.

use crate::workload::Request;

/// Something that answers "may this request pass?".
pub(crate) trait Subject: Sync {
    fn check(&self, request: &Request) -> bool;

    /// Answers requests in order and says how many may pass. Batches have their own way.
    #[inline]
    fn serve(&self, requests: &[Request]) -> usize {
        requests
            .iter()
            .map(|request| usize::from(self.check(request)))
            .sum()
    }
}
