public import Foundation

/// Something that gathers the values of a series before it is saved.
// @unchecked: not final, but its subclasses, all in this module, hold only `let`s, Sendable values and a Mutex.
public class HKSeriesBuilder: NSObject, @unchecked Sendable {
  override init() {}

  /// Gives the series up. The builder cannot be used afterwards.
  public func discard() {}
}
