public import Synchronization

/// A cache of units. Each unit string is parsed once, and equal units share one object.
///
/// Programs use few units, but untrusted strings could exhaust the memory, so the cache is cleared when it is
/// full.
// Inlinable, so that other modules get a specialization for the class that they cache.
public final class UnitRegistry<Unit: Sendable>: Sendable {
  @usableFromInline
  struct Known: Sendable {
    @usableFromInline var byString: [String: Unit] = [:]
    @usableFromInline var byFactors: [[UnitFactor]: Unit] = [:]

    @usableFromInline init() {}
  }

  @usableFromInline let make: @Sendable (UnitForm) -> Unit
  @usableFromInline let known = Mutex(Known())
  @usableFromInline static var capacity: Int { 2048 }

  /// Creates a registry.
  /// - Parameter make: Creates the cached value for a unit.
  public init(_ make: @escaping @Sendable (UnitForm) -> Unit) {
    self.make = make
  }

  /// Returns the unit with the given factors.
  /// - Parameter factors: Factors as returned by `product(with:power:)`.
  @inlinable
  public func unit(_ factors: [UnitFactor]) -> Unit {
    known.withLock { unit(factors, in: &$0) }
  }

  /// Returns the unit for a string.
  /// - Throws: ``UnitError``.
  @inlinable
  public func unit(parsing string: String) throws(UnitError) -> Unit {
    if let unit = known.withLock({ $0.byString[string] }) { return unit }
    let factors = try [UnitFactor](parsing: string)
    return known.withLock { known in
      let unit = unit(factors, in: &known)
      if known.byString.count == Self.capacity { known = Known() }
      known.byString[string] = unit
      return unit
    }
  }

  @inlinable
  func unit(_ factors: [UnitFactor], in known: inout Known) -> Unit {
    if let unit = known.byFactors[factors] { return unit }
    let unit = make(UnitForm(factors))
    if known.byFactors.count == Self.capacity { known = Known() }
    known.byFactors[factors] = unit
    return unit
  }
}
