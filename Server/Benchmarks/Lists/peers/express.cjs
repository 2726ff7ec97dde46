// The first page of a user's moods in idiomatic Express: prepared statements with Node's synchronous SQLite binding, `jose` for the token,
// one HMAC for each link. The environment variable PEER is the path of a JSON file with the settings.
"use strict"
const { createHmac } = require("node:crypto")
const { readFileSync } = require("node:fs")
const { DatabaseSync } = require("node:sqlite")
const express = require("express")
const { createLocalJWKSet, jwtVerify } = require("jose")

const peer = JSON.parse(readFileSync(process.env.PEER))
const database = new DatabaseSync(peer.database)
database.exec("PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 10000")
if (database.prepare("PRAGMA journal_mode").get().journal_mode !== "wal") throw new Error("the file is not in WAL mode")

const session = database.prepare(`SELECT account.is_admin FROM session JOIN account ON account.id = session.account
    WHERE session.id = ? AND session.account = ? AND session.ended_at IS NULL`)
const page = database.prepare(`SELECT id, created_at, category, group_id, tags, mood, note, reason, interests, intensity, voice_ms, pictures, voice
    FROM moment WHERE owner = ? AND kind = 'mood' ORDER BY created_at DESC, id DESC LIMIT ?`)

const keys = createLocalJWKSet(peer.keys)
const expected = { algorithms: ["ES256"], typ: "at+jwt", issuer: peer.issuer, audience: peer.audience }

// Length prefixes as in Keepsake, so that all servers give the same response.
function seal(secret, parts) {
    const pieces = []
    for (const part of parts) {
        const bytes = Buffer.from(part)
        const length = Buffer.alloc(8)
        length.writeUInt32LE(bytes.length)
        pieces.push(length, bytes)
    }
    return createHmac("sha256", secret).update(Buffer.concat(pieces)).digest().subarray(0, 16)
}

const linkSecret = Buffer.from(peer.linkSecret, "hex")
const cursorSecret = Buffer.from(peer.cursorSecret, "hex")

function link(owner, media, expires) {
    const path = `/api/users/user/${encodeURIComponent(owner)}/multimedia/files/${media}`
    const signature = seal(linkSecret, ["link", "GET", path, expires]).toString("base64url")
    return `${peer.url}${path}?expires=${expires}&signature=${signature}`
}

function cursor(owner, moment) {
    const payload = `${moment.created_at}\x1f${moment.id}`
    const signature = seal(cursorSecret, ["cursor.moments", payload, owner, "mood", "", "", ""])
    return Buffer.concat([signature, Buffer.from(payload)]).toString("base64url")
}

async function signedIn(request, response, next) {
    try {
        const [scheme, token] = (request.get("authorization") ?? "").split(" ")
        if (scheme !== "Bearer" || !token) return response.status(401).json({ error: "Unauthorized" })
        const { payload } = await jwtVerify(token, keys, expected)
        if (!session.get(payload.sid, payload.sub)) return response.status(401).json({ error: "Unauthorized" })
        if (request.params.userId !== payload.sub) return response.status(403).json({ error: "Forbidden" })
        request.account = payload.sub
        next()
    } catch {
        response.status(401).json({ error: "Unauthorized" })
    }
}

const app = express()
app.disable("x-powered-by")
app.disable("etag") // The response is no-store, so a hash of it would be useless.
app.get("/api/users/user/:userId/moods", signedIn, (request, response) => {
    const limit = Number(request.query.limit ?? 20)
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) return response.status(400).json({ error: "Bad Request" })
    const owner = request.account
    const rows = page.all(owner, limit + 1)
    const shown = rows.slice(0, limit)
    const day = 86_400
    const expires = String((Math.floor(Date.now() / 1000 / day) + 1 + 7) * day)
    const last = rows.length > limit ? shown.at(-1) : undefined
    response.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" }).json({
        success: true,
        moods: shown.map((moment) => ({
            id: moment.id,
            mood: moment.mood,
            note: moment.note ?? undefined,
            voiceNote: moment.voice === null ? undefined : link(owner, moment.voice, expires),
            voiceNoteDuration: moment.voice !== null && moment.voice_ms !== null ? moment.voice_ms / 1000 : undefined,
            reason: moment.reason ?? undefined,
            tags: JSON.parse(moment.tags),
            interests: JSON.parse(moment.interests),
            moodIntensity: moment.intensity ?? undefined,
            createdAt: Math.floor(moment.created_at / 1000),
            imageUrls: JSON.parse(moment.pictures).map((picture) => link(owner, picture, expires)),
            category: moment.category,
            groupId: moment.group_id ?? undefined,
        })),
        pagination: { hasMore: last !== undefined, nextCursor: last ? cursor(owner, last) : null },
    })
})

const server = app.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
