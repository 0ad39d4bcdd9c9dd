//! The tier of an API key or a user: one that is declared.

use std::sync::Arc;

use super::{
    call::Call,
    form::{Form, Said},
    problem::Problem,
};

/// The tier of a body; one that nobody declared is an error.
pub(super) async fn declared(call: &Call, form: &mut Form) -> Result<Said<Arc<str>>, Problem> {
    let said = form.identifier("tier");
    let Said::This(tier) = &said else {
        return Ok(said);
    };
    let head = call.latest().await?;
    if !head.set.tiers.contains_key(&**tier) {
        let known: Vec<&str> = head
            .set
            .tiers
            .keys()
            .map(|name| name.as_str())
            .take(20)
            .collect();
        let known = known.join(", ");
        form.wrong(
            "tier",
            format!("{tier:?} is not declared: known are {known}"),
        );
    }
    Ok(said)
}
