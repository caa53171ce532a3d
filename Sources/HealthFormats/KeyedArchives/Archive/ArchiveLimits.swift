/// How much an archive may ask of its reader. Each limit stops an input that is small and asks for a lot.
public struct ArchiveLimits: Hashable, Sendable {
  /// The longest archive, in bytes; all strings and data that its objects hold may together be as long.
  public var bytes = 64 << 20
  /// The most objects in the property list, every string and number counted.
  public var objects = 1_000_000
  /// How deep objects may stand within objects. Decoding recurses, and a thread's stack may be small.
  public var depth = 64
  /// The most objects that whoever walks the result meets, a shared one counted each time it is met.
  public var visits = 4_000_000
  /// The most elements of one set and entries of one dictionary: a forged hash makes each insertion compare
  /// with all.
  public var uniqueElements = 10_000

  public init() {}
}
