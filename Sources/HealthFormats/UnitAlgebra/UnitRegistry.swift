public import Synchronization

/// What was made of units so far, so that a string is parsed once and equal units share one object.
///
/// The registry starts anew when it is full. No program's own units fill it; strings from outside might, and
/// could otherwise fill the memory.
// Inlinable, so that it is specialised for the class of units that another module keeps in it.
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

  /// - Parameter make: makes what the registry keeps of a unit.
  public init(_ make: @escaping @Sendable (UnitForm) -> Unit) {
    self.make = make
  }

  /// - Parameter factors: as `product(with:power:)` leaves them.
  @inlinable
  public func unit(_ factors: [UnitFactor]) -> Unit {
    known.withLock { unit(factors, in: &$0) }
  }

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
