import Core
import NIOCore

/// How much a connection may hold of what its client sends ahead.
extension RequestGate {
    /// Bytes that a connection may hold without a share of the common budget. Over TLS these are the bytes of one read and of the
    /// incomplete record before it. Over TLS, reads above 16 KiB also count against a budget of their own (`ChannelLimits.keptReads`).
    private var freeByteCount: Int { isSecure ? 2 * limits.keptReadByteCount : limits.heldByteCount }

    /// Whether the gate may accept `bytes`. When a client ends the connection, NIO reads everything that is left, whether a handler wants
    /// bytes or not. That may be megabytes, which the server keeps until the response is complete. What exceeds the bytes of one read takes
    /// a share of what all connections together may hold. `mayHold` counts the bytes that the gate itself holds.
    func mayTake(_ bytes: ByteBuffer) -> Bool {
        guard !isFull else { return true }
        byteCountSinceRead += bytes.readableBytes
        return byteCountSinceRead <= mostByteCountOfRead || unread.keep(bytes.readableBytes)
    }

    /// The most bytes that one read brings. Over TLS, these are the bytes of the read and of an incomplete record before it.
    private var mostByteCountOfRead: Int {
        if unread.isBodyTaken { return limits.readByteCount }
        return isSecure ? limits.keptReadByteCount + limits.untakenByteCount : limits.untakenByteCount
    }

    /// Takes a share of the budget of all connections for held bytes that have to wait. When they need no share any more, returns it.
    /// - Returns: whether the budget has room for them.
    func mayHold() -> Bool {
        let byteCount = isFull ? held.storageCapacity : 0
        guard byteCount > freeByteCount else {
            if heldShare != nil { heldShare = nil }
            return true
        }
        do throws(SharedBudget.Refusal) {
            if let heldShare {
                let more = byteCount - heldShare.amount
                if more > 0 { try heldShare.grow(by: more) } else { heldShare.shrink(by: -more) }
            } else {
                heldShare = try unread.share(byteCount)
            }
            return true
        } catch {
            return false
        }
    }

    /// What the next read may bring.
    enum Reads {
        case heads
        /// A long body of which the handler has not taken bytes yet.
        case untakenBody
        case body
    }

    /// Chooses the size of the next read. Large reads are for long bodies whose handler takes them. While a request is answered, a large
    /// read would bring many requests that have to wait.
    func fitReads(_ context: ChannelHandlerContext) {
        // Over TLS, the size does not depend on the request.
        guard !isSecure else { return }
        let next: Reads
        switch phase {
        case .length(let left) where reads == .heads && left <= limits.heldByteCount: next = .heads
        case .length, .chunked: next = unread.isBodyTaken ? .body : .untakenBody
        case .idle, .head, .answering, .switching, .takenOver, .ended: next = .heads
        }
        guard next != reads else { return }
        reads = next
        let sizes: ReadSizes
        switch next {
        case .heads: sizes = ReadSizes.ofHeads(limits)
        case .untakenBody: sizes = ReadSizes.ofUntakenBody(limits)
        case .body: sizes = ReadSizes.ofBody(limits)
        }
        // Fails only when the channel is closed.
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: sizes)
    }
}
