/// The GAP central as the rest of hrgate sees it: a stream of events of peripherals.
///
/// A live adapter, a packet log and a simulator all have this interface, so a consumer cannot tell them
/// apart. The same frames give the same samples, so each source can be tested against the others.
///
/// Events come in batches. A live radio yields a few at a time. A replay yields hundreds, because a
/// suspension point for each of ten million frames costs more than decoding them. Events are in the order of
/// receipt, within a batch and between batches. The stream is for one consumer, and ends when the source
/// ends.
public protocol Central: Sendable {
  associatedtype Events: AsyncSequence<[CentralEvent], any Error>

  /// Starts the source. It reads nothing before the first element is requested.
  func events() -> Events
}
