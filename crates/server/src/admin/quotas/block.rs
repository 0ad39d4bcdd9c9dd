//! Blocking one user: the same blocks as `/ratelimit/blocks`.

use tollgate_rules::{Block, Field};

use super::{
    super::{blocks, call::Call, form::Form, route::Outcome},
    handlers,
};

pub(super) async fn put(call: Call) -> Outcome {
    let user = handlers::user(&call)?;
    let mut form = Form::read(&call)?;
    let block = blocks::described(&call, &mut form, Block::new(Field::User, user));
    form.done()?;
    blocks::put(&call, block).await
}

pub(super) async fn remove(call: Call) -> Outcome {
    let user = handlers::user(&call)?;
    blocks::remove_of_user(&call, &user).await
}
