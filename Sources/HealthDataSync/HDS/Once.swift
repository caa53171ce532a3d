import Synchronization

/// A completion handler that is called once, whatever its caller does.
final class Once<Value>: Sendable {
  private let handler: Mutex<Handed<((Value) -> Void)?>>

  init(_ handler: @escaping (Value) -> Void) {
    self.handler = Mutex(Handed(handler))
  }

  func call(_ value: Value) {
    let handler = handler.withLock { handler in
      defer { handler = Handed(nil) }
      return handler
    }
    handler.value?(value)
  }
}

/// What is handed from one thread to the next.
// @unchecked: whoever hands it on does not use it any more, or a lock stands before it.
struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// What a function answers through its completion handler.
func answer<Value>(_ ask: (Once<Value>) -> Void) async -> Value {
  await withCheckedContinuation { (continuation: CheckedContinuation<Handed<Value>, Never>) in
    ask(Once { continuation.resume(returning: Handed($0)) })
  }.value
}
