package import NIOCore

/// Runs the jobs of a connection's task on the connection's event loop, so that reading a request, answering it and writing the answer need
/// no switch of threads. Code that might block, or compute for a long time, moves to other threads (`withTaskExecutorPreference`).
package final class LoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job does not run at once: the caller may be in the middle of handling an event of the channel.
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
