public import Foundation

/// A class that an archive may name.
public typealias ArchivableClass = any (NSObject & NSSecureCoding).Type

/// The class of an object in an archive, found by name in one of two tables and nowhere else.
enum ArchivedClass {
  case own(ArchivableClass)
  case foundation(FoundationClass)

  var type: AnyClass {
    switch self {
    case .own(let type): type
    case .foundation(let known): known.type
    }
  }

  /// Whether `type` is one of `classes` or inherits from one of them.
  static func isKind(_ type: AnyClass, of classes: [AnyClass]) -> Bool {
    var ancestor: AnyClass? = type
    while let current = ancestor {
      if classes.contains(where: { $0 == current }) { return true }
      ancestor = _getSuperclass(current)
    }
    return false
  }
}
