-- Asks Tollgate whether a request may pass; `http-request lua.tollgate` calls it.

-- The listener `tollgate` of haproxy.cfg, which knows where Tollgate is and how long to wait for it.
local URL = "http://127.0.0.1:7069/gateway/forward-auth"
local WAIT_MS = 1000

-- What happens while Tollgate is dead, hung or without rules: "open", the site goes on; "closed", everybody is
-- turned away.
local ON_FAILURE = "open"

-- Headers of the answer that the client of an allowed request sees, and the variables that carry them.
local SHOWN = {
    ["x-ratelimit-limit"] = "txn.tollgate_limit",
    ["x-ratelimit-remaining"] = "txn.tollgate_remaining",
    ["x-ratelimit-reset"] = "txn.tollgate_reset",
    ["ratelimit-policy"] = "txn.tollgate_policy",
    ["ratelimit"] = "txn.tollgate_standing",
    ["tollgate-decision-id"] = "txn.tollgate_decision",
}

-- Headers that belong to one connection, and those that HAProxy writes itself.
local DROPPED = {
    ["connection"] = true,
    ["keep-alive"] = true,
    ["transfer-encoding"] = true,
    ["content-length"] = true,
    ["date"] = true,
}

local function each_header(answer, call)
    for name, values in pairs(answer.headers or {}) do
        for _, value in pairs(values) do
            call(string.lower(name), value)
        end
    end
end

local function turn_away(txn, status, answer)
    local reply = txn:reply({ status = status })
    if answer then
        each_header(answer, function(name, value)
            if not DROPPED[name] then
                reply:add_header(name, value)
            end
        end)
        reply:set_body(answer.body or "")
    end
    txn:done(reply)
end

core.register_action("tollgate", { "http-req" }, function(txn)
    local asked, answer = pcall(function()
        return core.httpclient():get({
            url = URL,
            timeout = WAIT_MS,
            headers = {
                ["host"] = { "tollgate" },
                ["x-forwarded-for"] = { txn.sf:src() },
                ["x-forwarded-method"] = { txn.sf:method() },
                ["x-forwarded-uri"] = { txn.sf:path() },
                ["accept"] = { txn.sf:req_hdr("accept") or "*/*" },
            },
        })
    end)
    local status = asked and answer and answer.status or 0
    if status >= 200 and status < 300 then
        each_header(answer, function(name, value)
            if SHOWN[name] then
                txn:set_var(SHOWN[name], value)
            end
        end)
    elseif status >= 400 and (status < 500 or answer.headers["tollgate-decision-id"]) then
        -- A rule may deny by any status; one of 5xx without a decision is a breakdown.
        turn_away(txn, status, answer)
    elseif ON_FAILURE == "closed" then
        turn_away(txn, 503)
    end
end, 0)
