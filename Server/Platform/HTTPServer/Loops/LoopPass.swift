package import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs work in the next pass of an event loop over its sockets.
///
/// NIO runs tasks until none is left, and only then looks at its sockets. Work that continues as one task after another would therefore
/// keep all other connections of the loop waiting until the work is complete. So each loop gets a pipe. While work waits, the pipe holds a
/// byte: the loop finds the pipe together with the connections that are ready, and runs the work.
package final class LoopPass {
    /// Each thread has a value of its own.
    nonisolated(unsafe) private static let ofThread = ThreadSpecificVariable<LoopPass>()

    private let eventLoop: any EventLoop
    private var waiting: [() -> Void] = []
    private var channel: (any Channel)?
    private var isOpening = false

    private init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Runs `work` in the next pass. Call it on the event loop. On a loop without sockets, as some tests have, `work` runs as an ordinary
    /// task.
    package static func next(on eventLoop: any EventLoop, _ work: @escaping () -> Void) {
        eventLoop.preconditionInEventLoop()
        if let own = ofThread.currentValue, own.eventLoop === eventLoop { return own.add(work) }
        let new = LoopPass(eventLoop)
        ofThread.currentValue = new
        new.add(work)
    }

    private func add(_ work: @escaping () -> Void) {
        waiting.append(work)
        // If earlier work already waits, the byte for it is in the pipe or will be. That byte also starts this work.
        guard waiting.count == 1, !isOpening else { return }
        if let channel { channel.writeAndFlush(ByteBuffer(bytes: [0]), promise: nil) } else { open() }
    }

    private func open() {
        isOpening = true
        guard let bootstrap = NIOPipeBootstrap(validatingGroup: eventLoop), let ends = Self.pipeEnds() else { return opened(nil) }
        bootstrap.takingOwnershipOfDescriptors(input: ends.input, output: ends.output).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): self.opened(channel)
            case .failure:
                close(ends.input)
                close(ends.output)
                self.opened(nil)
            }
        }
    }

    private func opened(_ new: (any Channel)?) {
        isOpening = false
        do {
            try new?.pipeline.syncOperations.addHandler(Reader(self))
            channel = new
        } catch {
            new?.close(promise: nil)
        }
        if let channel {
            channel.writeAndFlush(ByteBuffer(bytes: [0]), promise: nil)
        } else {
            eventLoop.assumeIsolated().execute { self.run() }
        }
    }

    private func run() {
        let due = waiting
        waiting = []
        for work in due { work() }
    }

    private static func pipeEnds() -> (input: CInt, output: CInt)? {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let pass: LoopPass

        init(_ pass: LoopPass) { self.pass = pass }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { pass.run() }

        func channelInactive(context: ChannelHandlerContext) {
            pass.channel = nil
            pass.run()
        }
    }
}
