import HummingbirdCore
import NIOCore
import Synchronization

/// Writes to whoever takes it, however slowly, and cuts the connection of who has stopped taking: what was
/// written to them would be held for ever.
struct PatientWriter: Sendable {
  /// Whoever takes nothing for so long has stopped.
  let patience: Duration
  let wire: Wire

  /// Is written at a time: so much the slowest reader takes within the patience.
  private static let piece = 65_536

  private final class Progress: Sendable {
    struct State: Sendable, Hashable {
      var pieces = 0
      /// The reader is waited for, and not the store.
      var isWriting = false
    }

    let state = Mutex(State())
  }

  /// Writes the whole of an answer's body.
  ///
  /// - Parameter next: What is written next; `nil` at the end.
  func write(
    to writer: inout any ResponseBodyWriter, _ next: () async throws -> [UInt8]?
  ) async throws {
    let progress = Progress()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await watch(progress) }
      defer { tasks.cancelAll() }
      while let bytes = try await next() {
        var rest = bytes[...]
        while !rest.isEmpty {
          progress.state.withLock { $0.isWriting = true }
          try await writer.write(ByteBuffer(bytes: rest.prefix(Self.piece)))
          try await wire.settle()
          progress.state.withLock { $0 = .init(pieces: $0.pieces + 1) }
          rest = rest.dropFirst(Self.piece)
        }
      }
      progress.state.withLock { $0.isWriting = true }
      try await writer.finish(nil)
    }
  }

  private func watch(_ progress: Progress) async {
    var seen: Progress.State?
    while (try? await Task.sleep(for: patience)) != nil {
      let now = progress.state.withLock { $0 }
      if now.isWriting, now == seen { return wire.hangUp() }
      seen = now
    }
  }
}
