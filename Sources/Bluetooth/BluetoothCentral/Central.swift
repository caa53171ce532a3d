/// The GAP central as the rest of hrgate sees it: a stream of what peripherals did.
///
/// A live adapter, a packet log and a simulator all end here, so what reads a `Central` cannot tell them
/// apart, and each proves the others: the same frames give the same samples.
///
/// Events come in batches. A live radio yields few at a time; a replay yields hundreds, because a suspension
/// point for each of ten million frames costs more than decoding them. Order is the order of receipt, within
/// a batch and between batches. The stream is for one consumer, and ends when the source ends.
public protocol Central: Sendable {
  associatedtype Events: AsyncSequence<[CentralEvent], any Error>

  /// Starts the source. Nothing is read before the first element is asked for.
  func events() -> Events
}
