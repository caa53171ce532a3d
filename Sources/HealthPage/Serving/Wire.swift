import NIOCore

/// The connection on which a request came, as far as an answer has to do with it.
struct Wire: Sendable {
  private let channel: any Channel

  init(_ channel: any Channel) { self.channel = channel }

  /// Cuts it.
  func hangUp() { channel.close(promise: nil) }

  /// Ends what is said on it; what still comes is let fall.
  func sayNoMore() { channel.close(mode: .output, promise: nil) }

  /// Does the work until it is done, or nobody is there any more who would hear of it.
  /// - Throws: `CancellationError` where they went first; what the work throws.
  func whileHeard<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await channel.pipeline.handler(type: Departure.self).get().whileHeard(work)
  }

  /// Waits until the thread that sends has seen what was written: then whoever writes more than is taken is
  /// held back, and until then nobody is.
  func settle() async throws { try await channel.eventLoop.submit {}.get() }
}
