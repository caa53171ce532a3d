import NIOCore
import Synchronization

/// Notices that whoever asked has gone. A browser that goes away says nothing: its end of the connection
/// closes.
final class Departure: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private struct State {
    var hasGone = false
    var watches: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { depart() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    depart()
    context.fireChannelInactive()
  }

  private func depart() {
    let watches = state.withLock { state in
      defer { state.watches = [:] }
      state.hasGone = true
      return state.watches.values
    }
    for watch in watches { watch() }
  }

  /// Does the work until it is done, or nobody is there any more who would hear of it.
  /// - Throws: `CancellationError` where they went first; what the work throws.
  func whileHeard<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let (presence, departure) = AsyncStream.makeStream(of: Never.self)
    let number = watch { departure.finish() }
    defer { state.withLock { $0.watches[number] = nil } }
    return try await withThrowingTaskGroup(of: Value?.self) { tasks in
      tasks.addTask { try await work() }
      tasks.addTask {
        for await _ in presence {}
        return nil
      }
      defer { tasks.cancelAll() }
      guard let value = try await tasks.next() ?? nil else { throw CancellationError() }
      return value
    }
  }

  private func watch(_ departed: @escaping @Sendable () -> Void) -> Int {
    let (number, hasGone) = state.withLock { state in
      state.next += 1
      if !state.hasGone { state.watches[state.next] = departed }
      return (state.next, state.hasGone)
    }
    if hasGone { departed() }
    return number
  }
}
