import Synchronization

/// The latest value that another task reported.
final class Latest<Value: Sendable>: Sendable {
  private let latest: Mutex<Value>

  init(_ value: Value) { latest = Mutex(value) }

  var value: Value {
    get { latest.withLock(\.self) }
    set { latest.withLock { $0 = newValue } }
  }

  func update(_ change: (inout Value) -> Void) { latest.withLock { change(&$0) } }
}
