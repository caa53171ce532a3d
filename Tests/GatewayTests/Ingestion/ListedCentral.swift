import Bluetooth

/// Events as they are listed.
struct ListedCentral: Central {
  let batches: [[CentralEvent]]

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> {
    AsyncThrowingStream { continuation in
      for batch in batches { continuation.yield(batch) }
      continuation.finish()
    }
  }
}
