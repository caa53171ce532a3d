extension BusConnection {
  /// Calls a method and waits for its reply.
  ///
  /// - Parameter timeout: how long to wait; nil waits for as long as the connection lasts.
  /// - Throws: `BusError` with the name that the callee replied; `.timedOut`, `.cancelled` and
  ///   `.disconnected` where the wait ended first, which says nothing of whether the method ran;
  ///   `.invalidMessage` where the call breaks a rule and was not sent.
  @discardableResult
  public func call(_ call: MethodCall, timeout: Duration? = .seconds(25)) async throws(BusError) -> Reply {
    let ticket = nextTicket()
    let result: Result<Reply, BusError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A cancellation before this point finds no ticket, one after it does.
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

  /// Emits a signal. It is queued when this returns; the order of what is sent is the order of the calls.
  ///
  /// - Throws: `BusError` with `.invalidMessage` where it breaks a rule, `.disconnected`.
  public func emitSignal(
    path: ObjectPath, interface: String, member: String, body: [DBusValue] = []
  ) throws(BusError) {
    _ = try openWire().send(OutgoingMessage(signal: member, of: interface, at: path, body: body))
  }

  /// Sends a call whose reply, if one comes, nobody waits for.
  public func send(_ call: MethodCall) throws(BusError) {
    var message = try OutgoingMessage(call)
    message.wantsNoReply()
    _ = try openWire().send(message)
  }

  /// Sends a call. `complete` runs once, on the loop's thread and in the order of arrival: before any later
  /// message is handed on.
  func request(
    _ call: MethodCall, ticket: UInt64, timeout: Duration?, complete: @escaping PendingCalls.Completion
  ) {
    do throws(BusError) {
      let serial = try openWire().send(OutgoingMessage(call))
      if call.isPing { pending.beginPing(serial: serial) }
      pending.insert(ticket, serial: serial, timer: timeout.map { timer(ticket, $0) }, complete: complete)
    } catch {
      complete(.failure(error))
    }
  }

  /// A reply nobody waits for any more is dropped.
  func complete(_ serial: UInt32, _ message: IncomingMessage, failure: String?) {
    guard let complete = pending.remove(serial: serial) else { return }
    do throws(BusError) {
      let body = try message.body()
      if let failure {
        throw BusError(.init(rawValue: failure), body.first?.asString ?? "")
      }
      complete(.success(Reply(body: body, arrival: message.arrival, sender: message.sender)))
    } catch {
      complete(.failure(error))
    }
  }

  private func timer(_ ticket: UInt64, _ timeout: Duration) -> CallTimer {
    let id = loop.thread.schedule(after: timeout) { [self] in
      assumeIsolated {
        $0.pending.remove(ticket: ticket)?(.failure(BusError(.timedOut, "no reply within \(timeout)")))
      }
    }
    return CallTimer(id: id, thread: loop.thread)
  }

  private static let cancelled = BusError(.cancelled, "the caller waits no longer")
}
