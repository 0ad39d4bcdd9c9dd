//! The routes of proposals.

use super::{
    super::{
        route::{Kind, Param, Route, Verb, path, query},
        shared::{WRITER, json_of},
    },
    handlers,
};
use crate::authority::Permission;

pub(super) const LIST: &str = "/ratelimit/proposals";

const ID: &[Param] = &[path("id", Kind::Whole(0, u64::MAX >> 1), "The proposal's id")];

const UNKNOWN: (u16, &str) = (404, "There is no such proposal");
const NOT_OPEN: (u16, &str) =
    (409, "It does not wait any more, or what it would change is not there any more");

pub(in super::super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: LIST,
        name: "listProposals",
        about: "Changes of rules that wait for another admin, or did: at most 100, those that wait first",
        permission: Permission::Read,
        params: &[&[query(
            "state",
            Kind::Word(&["open", "approved", "rejected", "expired"]),
            "Only those",
        )]],
        body: None,
        replies: &[json_of(200, "The proposals: those that wait, then the newest", "ProposalList")],
        problems: &[],
        handler: |call| Box::pin(handlers::list(call)),
    },
    Route {
        verb: Verb::Get,
        path: "/ratelimit/proposals/{id}",
        name: "readProposal",
        about: "One proposal",
        permission: Permission::Read,
        params: &[ID],
        body: None,
        replies: &[json_of(200, "The proposal", "Proposal")],
        problems: &[UNKNOWN],
        handler: |call| Box::pin(handlers::read(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/ratelimit/proposals/{id}/approve",
        name: "approveProposal",
        about: "Have it done, just as it was asked for; not by whoever asked for it",
        permission: Permission::Rules,
        params: &[ID, WRITER],
        body: None,
        replies: &[json_of(200, "The proposal, and what came of it", "SettledProposal")],
        problems: &[
            (403, "It is your own, or your token does not show that you are somebody else"),
            UNKNOWN,
            NOT_OPEN,
            (412, "What it would change was changed since; it waits on"),
        ],
        handler: |call| Box::pin(handlers::approve(call)),
    },
    Route {
        verb: Verb::Post,
        path: "/ratelimit/proposals/{id}/reject",
        name: "rejectProposal",
        about: "Have it not done",
        permission: Permission::Rules,
        params: &[ID, WRITER],
        body: None,
        replies: &[json_of(200, "The proposal", "SettledProposal")],
        problems: &[UNKNOWN, NOT_OPEN],
        handler: |call| Box::pin(handlers::reject(call)),
    },
];
