import NIOCore

/// Deadlines for the client.
extension RequestGate {
    func arm() { if let context { arm(context) } }

    func arm(_ context: ChannelHandlerContext) {
        clock.arm(context) { [weak self] in
            guard let self, let context = self.context else { return }
            switch self.clock.expired(self.phase, context.channel) {
            case .nothing: self.arm(context)
            case .close: context.close(promise: nil)
            case .refuse(let problem): self.refuse(problem, context)
            }
        }
    }
}
