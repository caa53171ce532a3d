import Synchronization

/// The blocks of a store, and the heartbeat series, that cannot be read and were skipped, each reported once.
package final class DamagedBlocks: Sendable {
  private struct State {
    /// Which and why, in the order in which they were met.
    var known: [String] = []
    /// Rows on pages that cannot be read.
    var torn: Set<PackedRow> = []
    var listeners: [Int: AsyncStream<String>.Continuation] = [:]
    var nextListener = 0
  }

  private let state = Mutex(State())

  /// Where the current read records the blocks that it skips. nil for reads and writes that fail at a damaged
  /// block.
  @TaskLocal static var skipped: DamagedBlocks?

  /// The blocks that are to be passed over unread. After SQLite has met a damaged page in a transaction it
  /// writes nothing more in that (`SQLITE_CorruptRdOnly`): then the transaction is done again without them.
  /// Such a row cannot be deleted either, so that no other has its number.
  var torn: Set<PackedRow> { state.withLock(\.torn) }

  /// - Parameters:
  ///   - row: where it is.
  ///   - text: which block by its type and hour, and why it cannot be read.
  func note(_ row: PackedRow, _ text: String) {
    if text.hasSuffix("\(StoredBlockFlaw.file)") { state.withLock { _ = $0.torn.insert(row) } }
    note(text)
  }

  /// - Returns: Whether the record is a heartbeat series whose beats were read and do not decode.
  func noteIfDamaged(_ record: SampleRecord) -> Bool {
    guard case .heartbeatSeries(let count, let beats?) = record.content,
      HeartbeatCodec.decode(beats)?.count != count
    else { return false }
    note(
      "\(BlockFailure.name(series: record.type, start: record.start)) cannot be read: its beats are damaged")
    return true
  }

  private func note(_ text: String) {
    let listeners: [AsyncStream<String>.Continuation] = state.withLock { state in
      guard !state.known.contains(text) else { return [] }
      state.known.append(text)
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(text) }
  }

  /// Does what is a transaction of its own, and does it again where it met blocks on pages that cannot be
  /// read.
  func retrying<Value>(_ transaction: () throws -> Value) throws -> Value {
    while true {
      let before = torn
      do {
        return try transaction()
      } catch {
        guard torn != before else { throw error }
      }
    }
  }

  /// Which they are and why, those met so far.
  package var known: [String] { state.withLock(\.known) }

  /// Those met so far, and each further one when it is met.
  package func news() -> AsyncStream<String> {
    let (stream, listener) = AsyncStream.makeStream(of: String.self)
    let known = state.withLock { state in
      let number = state.nextListener
      state.nextListener += 1
      state.listeners[number] = listener
      listener.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
      }
      return state.known
    }
    for text in known { listener.yield(text) }
    return stream
  }
}
