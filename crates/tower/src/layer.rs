//! The layer.

use std::sync::Arc;

use tower_layer::Layer;

use crate::{
    Counts, Decide, Embed, Error, Fields, Key, Malformed, Missing, PeerIp, Preflights, RequestHead,
    ResetAs, Tollgate, peer_ip,
    rig::Rig,
    settings::{Mode, Settings},
};

/// Puts limits before a service.
///
/// ```
/// use tollgate_tower::{Fields, Key as _, TollgateLayer, header, peer_ip};
///
/// let layer = TollgateLayer::embedded("10/s, 1000/h")?
///     .key(header("x-api-key").or(peer_ip().behind(["10.0.0.0/8"])?))
///     .cost(|head| if head.path() == "/export" { 10 } else { 1 })
///     .fields(Fields::Both);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TollgateLayer<D = Arc<tollgate::RateLimiter>, K = PeerIp> {
    rig: Rig<D, K>,
}

impl TollgateLayer {
    /// Decided in this process: by limits (`"10/s, 1000/h"`, a [`Limit`](tollgate::Limit), a
    /// [`LimitSet`](tollgate::LimitSet)), or by a limiter or a gate of the library that is shared with the layer. Keyed
    /// by the client's address unless said.
    ///
    /// ```
    /// let layer = tollgate_tower::TollgateLayer::embedded("100/min")?;
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Limits`] for a text that is no limit.
    pub fn embedded<E: Embed>(limits: E) -> Result<TollgateLayer<E::Decider>, Error> {
        Ok(TollgateLayer::of(limits.embed()?))
    }
}

impl<D> TollgateLayer<D> {
    pub(crate) fn of(decider: D) -> Self {
        Self { rig: Rig { decider, key: peer_ip(), settings: Arc::default() } }
    }
}

impl<D, K> TollgateLayer<D, K> {
    /// By what requests are told apart, instead of the client's address.
    ///
    /// ```
    /// use tollgate_tower::{TollgateLayer, header};
    ///
    /// let layer = TollgateLayer::embedded("100/min")?.key(header("x-api-key"));
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    #[must_use]
    pub fn key<L: Key>(self, key: L) -> TollgateLayer<D, L> {
        let Rig { decider, settings, .. } = self.rig;
        TollgateLayer { rig: Rig { decider, key, settings } }
    }

    /// What a request weighs, instead of 1. A cost of 0 is never denied for itself and charges nothing.
    ///
    /// ```
    /// use tollgate_tower::TollgateLayer;
    ///
    /// let layer = TollgateLayer::embedded("100/min")?
    ///     .cost(|head| if head.method == "POST" { 5 } else { 1 });
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    #[must_use]
    pub fn cost(self, cost: impl Fn(&RequestHead<'_>) -> u64 + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.cost = Some(Arc::new(cost)))
    }

    /// What becomes of requests without a key: [`Missing::Shared`] unless said.
    ///
    /// ```
    /// use tollgate_tower::{Missing, TollgateLayer};
    ///
    /// let layer = TollgateLayer::embedded("100/min")?.missing(Missing::Skip);
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    #[must_use]
    pub fn missing(self, missing: Missing) -> Self {
        self.with(|settings| settings.missing = missing)
    }

    /// What becomes of requests about which no rule can be asked: [`Malformed::Reject`] unless said.
    ///
    /// ```
    /// use tollgate_tower::{Malformed, TollgateLayer};
    ///
    /// let layer = TollgateLayer::embedded("100/min")?.malformed(Malformed::Pass);
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    #[must_use]
    pub fn malformed(self, malformed: Malformed) -> Self {
        self.with(|settings| settings.malformed = malformed)
    }

    /// Whether preflights are charged: [`Preflights::Free`] unless said.
    ///
    /// ```
    /// use tollgate_tower::{Preflights, TollgateLayer};
    ///
    /// let layer = TollgateLayer::embedded("100/min")?.preflights(Preflights::Charged);
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    #[must_use]
    pub fn preflights(self, preflights: Preflights) -> Self {
        self.with(|settings| settings.preflights = preflights)
    }

    /// Which header fields carry the numbers: [`Fields::Vendor`] unless said.
    ///
    /// ```
    /// use tollgate_tower::{Fields, TollgateLayer};
    ///
    /// let layer = TollgateLayer::embedded("100/min")?.fields(Fields::Draft);
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    #[must_use]
    pub fn fields(self, fields: Fields) -> Self {
        self.with(|settings| settings.fields = fields)
    }

    /// What `X-RateLimit-Reset` means: [`ResetAs::Epoch`] unless said.
    ///
    /// ```
    /// use tollgate_tower::{ResetAs, TollgateLayer};
    ///
    /// let layer = TollgateLayer::embedded("100/min")?.reset_as(ResetAs::Seconds);
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    #[must_use]
    pub fn reset_as(self, reset_as: ResetAs) -> Self {
        self.with(|settings| settings.reset_as = reset_as)
    }

    /// What the limits of a plain limiter are called in `RateLimit-Policy` and in problems: `default` unless said.
    ///
    /// ```
    /// let layer = tollgate_tower::TollgateLayer::embedded("100/min")?.name("search")?;
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Name`] for a name that cannot be shown.
    pub fn name(self, name: &str) -> Result<Self, Error> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/".contains(&byte);
        if !(1..=NAME_BYTES_MAX).contains(&name.len()) || !name.bytes().all(is_plain) {
            return Err(Error::Name(name.chars().take(NAME_BYTES_MAX).collect()));
        }
        Ok(self.with(|settings| settings.name = name.into()))
    }

    /// Decides and labels, and lets everything pass: denials have `Tollgate-Shadow: denied` on the response, and
    /// handlers see them in [`Outcome`](crate::Outcome). Nobody waits.
    ///
    /// ```
    /// let layer = tollgate_tower::TollgateLayer::embedded("100/min")?.shadow();
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    #[must_use]
    pub fn shadow(self) -> Self {
        self.with(|settings| settings.mode = Mode::Shadow)
    }

    /// What happened beside plain yes and no, in all services that this layer and its copies made.
    ///
    /// ```
    /// let layer = tollgate_tower::TollgateLayer::embedded("100/min")?.shadow();
    /// assert_eq!(layer.counts().shadowed, 0);
    /// # Ok::<(), tollgate_tower::Error>(())
    /// ```
    pub fn counts(&self) -> Counts {
        self.rig.settings.tally.counts()
    }

    fn with(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        set(Arc::make_mut(&mut self.rig.settings));
        self
    }
}

impl<S, D: Decide, K: Key> Layer<S> for TollgateLayer<D, K> {
    type Service = Tollgate<S, D, K>;

    fn layer(&self, inner: S) -> Self::Service {
        Tollgate::new(inner, Arc::new(self.rig.clone()))
    }
}

/// The longest name of a policy.
const NAME_BYTES_MAX: usize = 128;
