import Foundation

/// A class that decodes numbers and bytes.
final class ArchivedLeaf: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  private let values: [Double]
  private let byteCount: Int

  init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "d") else { return nil }
    values = [
      coder.decodeDouble(forKey: "d"), Double(coder.decodeFloat(forKey: "f")),
      Double(coder.decodeInteger(forKey: "i")), Double(coder.decodeInt32(forKey: "j")),
      coder.decodeBool(forKey: "b") ? 1 : 0,
    ]
    byteCount = coder.withDecodedUnsafeBytes(forKey: "x") { $0?.count ?? 0 }
  }

  func encode(with coder: NSCoder) {}

  override var hash: Int { values.hashValue ^ byteCount }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? ArchivedLeaf).map { $0 === self || $0.values == values && $0.byteCount == byteCount } ?? false
  }
}
