//! All rows that are asked for, a line of JSON each, read page by page as the client takes them.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use tollgate_catalog::{AuditListing, AuditRow, Catalog, CatalogError};

use super::read;

/// The rows that are in memory at once.
const ROWS: u32 = 1_000;
/// How long the database has for each page.
const PAGE_TIME_MAX: Duration = Duration::from_secs(10);

type Page = Pin<Box<dyn Future<Output = Result<Vec<AuditRow>, CatalogError>> + Send>>;

/// An answer that is written while it is read.
pub(in super::super) struct Export {
    catalog: Catalog,
    listing: AuditListing,
    page: Option<Page>,
}

impl Export {
    /// From the newest row on.
    pub(super) fn body(catalog: Catalog, listing: AuditListing) -> Body {
        let listing = AuditListing {
            count: ROWS,
            ..listing
        };
        let page = Some(asked(&catalog, &listing));
        Body::new(Self {
            catalog,
            listing,
            page,
        })
    }
}

fn asked(catalog: &Catalog, listing: &AuditListing) -> Page {
    let (catalog, listing) = (catalog.clone(), listing.clone());
    Box::pin(async move {
        let rows = tokio::time::timeout(PAGE_TIME_MAX, catalog.audit(&listing)).await;
        rows.unwrap_or(Err(CatalogError::Timeout(PAGE_TIME_MAX)))
    })
}

impl HttpBody for Export {
    type Data = Bytes;
    type Error = CatalogError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CatalogError>>> {
        let Some(page) = &mut self.page else {
            return Poll::Ready(None);
        };
        let rows = ready!(page.as_mut().poll(context));
        self.page = None;
        let rows = match rows {
            Ok(rows) => rows,
            // The client sees an answer that was cut off, and not one that seems whole.
            Err(error) => return Poll::Ready(Some(Err(error))),
        };
        let Some(last) = rows.last() else {
            return Poll::Ready(None);
        };
        if u32::try_from(rows.len()).is_ok_and(|count| count >= ROWS) {
            self.listing.before = Some(last.id);
            self.page = Some(asked(&self.catalog, &self.listing));
        }
        let lines: String = rows
            .iter()
            .map(|row| format!("{}\n", read::shown(row)))
            .collect();
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(lines)))))
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export")
            .field("listing", &self.listing)
            .finish_non_exhaustive()
    }
}
