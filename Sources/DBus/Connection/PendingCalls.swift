/// The calls that wait for a reply, by the serial of their message. Each is completed once: by its reply, its
/// timer, its task's cancellation or the end of the connection, whichever comes first.
struct PendingCalls {
  typealias Completion = (Result<Reply, BusError>) -> Void

  private struct Call {
    let ticket: UInt64
    let timer: CallTimer?
    let complete: Completion
  }

  private var calls: [UInt32: Call] = [:]
  private var serials: [UInt64: UInt32] = [:]
  /// The pings that were not answered yet. One for whose answer nobody waits any more is one of them: its
  /// answer, too, tells of no change.
  private var pings: Set<UInt32> = []

  var isEmpty: Bool { calls.isEmpty }

  /// Somebody waits for the answer to the call with this serial.
  func isWaiting(for serial: UInt32) -> Bool { calls[serial] != nil }

  mutating func insert(
    _ ticket: UInt64, serial: UInt32, timer: CallTimer?, complete: @escaping Completion
  ) {
    calls[serial] = Call(ticket: ticket, timer: timer, complete: complete)
    serials[ticket] = serial
  }

  /// - Returns: what completes the call; nil when it has been completed already.
  mutating func remove(serial: UInt32) -> Completion? {
    guard let call = calls.removeValue(forKey: serial) else { return nil }
    serials[call.ticket] = nil
    call.timer?.cancel()
    return call.complete
  }

  mutating func remove(ticket: UInt64) -> Completion? {
    serials[ticket].flatMap { remove(serial: $0) }
  }

  mutating func beginPing(serial: UInt32) { pings.insert(serial) }

  /// - Returns: Whether this is the serial of a ping, which is answered now.
  mutating func endPing(serial: UInt32) -> Bool { pings.remove(serial) != nil }

  mutating func removeAll() -> [Completion] {
    pings.removeAll()
    return calls.keys.sorted().compactMap { remove(serial: $0) }
  }
}

/// What ends the wait for a reply.
struct CallTimer {
  let id: LoopThread.ID
  let thread: LoopThread

  func cancel() { thread.cancelTimer(id) }
}
