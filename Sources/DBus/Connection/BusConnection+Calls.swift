extension BusConnection {
  /// Calls a method and waits for its reply.
  ///
  /// - Parameter timeout: How long to wait; `nil` waits until the connection ends.
  /// - Throws: `BusError` with the error name in the reply; `.timedOut`, `.cancelled` or `.disconnected` if
  ///   there was no reply (the method may have run); `.invalidMessage` if the call violates the protocol and
  ///   was not sent.
  @discardableResult
  public func call(_ call: MethodCall, timeout: Duration? = .seconds(25)) async throws(BusError) -> Reply {
    let ticket = nextTicket()
    let result: Result<Reply, BusError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // If the task was canceled before the call was registered, the cancellation handler did not find the
        // call. So check here too.
        if Task.isCancelled {
          continuation.resume(returning: .failure(Self.cancelled))
        } else {
          request(call, ticket: ticket, timeout: timeout) { continuation.resume(returning: $0) }
        }
      }
    } onCancel: {
      loop.thread.perform {
        self.assumeIsolated { $0.pending.remove(ticket: ticket)?(.failure(Self.cancelled)) }
      }
    }
    return try result.get()
  }

  /// Emits a signal.
  ///
  /// - Throws: `BusError` with `.invalidMessage` if the signal violates the protocol, `.disconnected`.
  public func emitSignal(
    path: ObjectPath, interface: String, member: String, body: [DBusValue] = []
  ) throws(BusError) {
    _ = try send(OutgoingMessage(signal: member, of: interface, at: path, body: body))
  }

  /// Sends a method call without asking for a reply.
  public func send(_ call: MethodCall) throws(BusError) {
    _ = try send(OutgoingMessage(call, wantsReply: false))
  }

  /// Sends a method call. Runs `complete` once, on the thread of the event loop, before any message after the
  /// reply is handled.
  func request(
    _ call: MethodCall, ticket: UInt64, timeout: Duration?, complete: @escaping PendingCalls.Completion
  ) {
    do throws(BusError) {
      let serial = try send(OutgoingMessage(call))
      if call.isPing { pending.beginPing(serial: serial) }
      pending.insert(ticket, serial: serial, timer: timeout.map { timer(ticket, $0) }, complete: complete)
    } catch {
      complete(.failure(error))
    }
  }

  /// Completes the call to which `message` is the reply. A reply to a call that is no longer waiting is
  /// dropped.
  func complete(_ message: IncomingMessage, _ arrival: Arrival) {
    guard let complete = pending.remove(serial: message.replySerial) else { return }
    do throws(BusError) {
      let body = try message.body()
      if let name = message.errorName { throw BusError(.init(rawValue: name), body.first?.asString ?? "") }
      complete(.success(Reply(body: body, arrival: arrival, sender: message.sender)))
    } catch {
      complete(.failure(error))
    }
  }

  private func timer(_ ticket: UInt64, _ timeout: Duration) -> CallTimer {
    let id = loop.thread.schedule(after: timeout) { [self] in
      assumeIsolated {
        $0.pending.remove(ticket: ticket)?(
          .failure(BusError(.timedOut, "the called program did not reply within \(timeout)")))
      }
    }
    return CallTimer(id: id, thread: loop.thread)
  }

  private static let cancelled = BusError(.cancelled, "canceled")
}

/// The calls waiting for a reply, by the serial number of their message. Each is completed exactly once: by
/// its reply, its timeout, its task's cancellation or the end of the connection, whichever comes first.
struct PendingCalls {
  typealias Completion = (Result<Reply, BusError>) -> Void

  private struct Call {
    let ticket: UInt64
    let timer: CallTimer?
    let complete: Completion
  }

  private var calls: [UInt32: Call] = [:]
  private var serials: [UInt64: UInt32] = [:]
  /// The unanswered pings, including those whose caller has stopped waiting.
  private var pings: Set<UInt32> = []

  mutating func insert(
    _ ticket: UInt64, serial: UInt32, timer: CallTimer?, complete: @escaping Completion
  ) {
    calls[serial] = Call(ticket: ticket, timer: timer, complete: complete)
    serials[ticket] = serial
  }

  /// - Returns: The completion of the call; `nil` if it has already run.
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

  /// Removes a ping that has been answered.
  ///
  /// - Returns: Whether `serial` belongs to an unanswered ping.
  mutating func endPing(serial: UInt32) -> Bool { pings.remove(serial) != nil }

  mutating func removeAll() -> [Completion] {
    pings.removeAll()
    return calls.keys.sorted().compactMap { remove(serial: $0) }
  }
}

/// The timeout of a call.
struct CallTimer {
  let id: LoopThread.ID
  let thread: LoopThread

  func cancel() { thread.cancelTimer(id) }
}
