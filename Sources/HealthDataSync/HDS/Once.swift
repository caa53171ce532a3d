import Synchronization

/// A completion handler that runs at most once, however often it is called.
final class Once<Value>: Sendable {
  private let handler: Mutex<UncheckedSendable<((Value) -> Void)?>>

  init(_ handler: @escaping (Value) -> Void) {
    self.handler = Mutex(UncheckedSendable(handler))
  }

  func call(_ value: Value) {
    let handler = handler.withLock { handler in
      defer { handler = UncheckedSendable(nil) }
      return handler
    }
    handler.value?(value)
  }
}

/// A non-Sendable value that is passed from one thread to another.
// @unchecked: the sender no longer uses the value, or a lock protects it.
struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// Calls a function with a completion handler, and returns the value that the handler receives.
func answer<Value>(_ ask: (Once<Value>) -> Void) async -> Value {
  await withCheckedContinuation { (continuation: CheckedContinuation<UncheckedSendable<Value>, Never>) in
    ask(Once { continuation.resume(returning: UncheckedSendable($0)) })
  }.value
}
