import Core
import NIOCore

/// How much a connection may hold of what its client sends ahead.
extension RequestGate {
    /// Bytes that a connection may hold without a share of the common budget. Over TLS these are the bytes of one read and of the
    /// incomplete record before it. Over TLS, reads above 16 KiB also count against a budget of their own (`ChannelLimits.keptReads`).
    private var freeByteCount: Int { isSecure ? 2 * mostByteCountOfSecureRead : limits.heldByteCount }

    private var mostByteCountOfSecureRead: Int { ReadSizes.ofChannel(context?.channel)?.mostByteCount ?? limits.firstKeptReadByteCount }

    /// Whether the gate may accept `bytes`. When a client ends the connection, NIO reads everything that is left, whether a handler wants
    /// bytes or not. That may be megabytes, which the server keeps until the response is complete. What exceeds the bytes of one read takes
    /// a share of what all connections together may hold. `mayHold` counts the bytes that the gate itself holds.
    func mayTake(_ bytes: ByteBuffer) -> Bool {
        isFull || unread.mayTake(bytes.readableBytes, mostOfRead: mostByteCountOfRead)
    }

    /// The most bytes that one read brings. Over TLS, these are the bytes of the read and of an incomplete record before it.
    private var mostByteCountOfRead: Int {
        if isSecure { return mostByteCountOfSecureRead + limits.unreadByteCount }
        return reads == .fastBody ? limits.readByteCount : max(limits.unreadByteCount, limits.heldByteCount)
    }

    /// Takes a share of the budget of all connections for held bytes that have to wait. When they need no share any more, returns it.
    /// - Returns: whether the budget has room for them.
    func mayHold() -> Bool {
        let byteCount = isFull ? held.storageCapacity : 0
        // Looking up the size of reads over TLS takes long, so it comes second.
        guard byteCount > limits.heldByteCount, byteCount > freeByteCount else {
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
        /// The same, when the client sends quickly and the connection has a share of the budget for large reads.
        case fastBody
    }

    /// After this many small reads in a row, a connection returns its share of the budget for large reads.
    private static let smallReadCount = 8

    /// Chooses the size of the next read. Large reads are for long bodies whose handler takes them. While a request is answered, a large
    /// read would bring many requests that have to wait.
    /// - Parameter last: the bytes of the previous read.
    func fitReads(last: Int, _ context: ChannelHandlerContext) {
        // Over TLS, the size does not depend on the request.
        guard !isSecure else { return }
        let next: Reads
        switch phase {
        case .length(let left) where reads == .heads && left <= limits.heldByteCount: next = .heads
        case .length, .chunked: next = unread.isBodyTaken ? readsOfBody(last: last) : .untakenBody
        case .idle, .head, .answering, .switching, .takenOver, .ended: next = .heads
        }
        guard next != reads else { return }
        if reads == .fastBody { endLargeReads() }
        reads = next
        let sizes: ReadSizes
        switch next {
        case .heads: sizes = ReadSizes.ofHeads(limits)
        case .untakenBody: sizes = ReadSizes.ofUntakenBody(limits)
        case .body: sizes = ReadSizes.ofBody(limits)
        case .fastBody:
            let last = LastRead(context.eventLoop)
            lastRead = last
            sizes = ReadSizes.ofFastBody(limits, last)
        }
        // Fails only when the channel is closed.
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: sizes)
    }

    /// Returns what the connection holds for large reads.
    func endLargeReads() {
        lastRead?.drop()
        lastRead = nil
        unread.endLargeReads()
    }

    /// Allows large reads when a read has brought as much as it could, and ends them when the reads have become small.
    private func readsOfBody(last: Int) -> Reads {
        guard limits.readByteCount > limits.unreadByteCount else { return .body }
        guard last < limits.unreadByteCount else {
            smallReads = 0
            return reads == .fastBody || (reads == .body && unread.beginLargeReads()) ? .fastBody : .body
        }
        smallReads += 1
        return reads == .fastBody && smallReads < Self.smallReadCount ? .fastBody : .body
    }
}
