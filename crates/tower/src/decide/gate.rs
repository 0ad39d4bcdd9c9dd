//! A gate of the library decides by its rules.

use std::{future::Ready, sync::Arc};

use tollgate::{
    Clock, Cost, Gate, ImmediateStore,
    rules::{Query, QueryError},
};

use super::{Decide, Decided, Question, Step, sealed::Sealed};
use crate::{
    Outcome, Role,
    key::{IpText, Value},
};

impl<S, C> Sealed for Arc<Gate<S, C>> {}

impl<S, C> Decide for Arc<Gate<S, C>>
where
    S: ImmediateStore + 'static,
    C: Clock + 'static,
{
    type Asking = Ready<Decided>;

    fn decide(&self, question: &Question<'_, '_>) -> Step<Self::Asking> {
        // Queries borrow their texts.
        let ip = question.facts.iter().find_map(|fact| match fact.value {
            Some(Value::Ip(ip)) => Some(IpText::whole(ip)),
            _ => None,
        });
        let ip = ip.as_ref().map_or("", IpText::as_str);
        let query = match query(question, ip) {
            Ok(query) => query,
            Err(error) => return Step::Now(Decided::Malformed(error.to_string())),
        };
        Step::Now(match self.check(&query) {
            Ok(ruling) => Decided::Outcome(Outcome::of_gate(ruling)),
            Err(_) => Decided::Unanswered,
        })
    }
}

fn query<'q>(question: &Question<'q, '_>, ip: &'q str) -> Result<Query<'q>, QueryError> {
    let mut query = Query::new();
    query.set_endpoint(question.head.endpoint().unwrap_or_default())?;
    query.set_method(question.head.method.as_str())?;
    for fact in question.facts.iter() {
        let text = match &fact.value {
            None => continue,
            Some(Value::Text(text)) => text.as_ref(),
            Some(Value::Ip(_)) => ip,
        };
        match fact.role {
            Role::User => query.set_user(text)?,
            Role::Org => query.set_org(text)?,
            Role::ApiKey => query.set_api_key(text)?,
            Role::Ip => query.set_ip(text)?,
            Role::Tier => query.set_tier(text)?,
            Role::Region => query.set_region(text)?,
            Role::Attribute(name) => query.add_attribute(name, text)?,
            Role::Token => {}
        }
    }
    if let Some(cost) = question.cost {
        query.set_cost(Cost::new(cost));
    }
    Ok(query)
}
