import SwiftASN1

/// The object identifiers that a CMS message of ours contains (RFC 5652 §4, §5, §11; RFC 5754 §2; RFC 5758
/// §3.2).
extension ASN1ObjectIdentifier {
  static let data: Self = [1, 2, 840, 113_549, 1, 7, 1]
  static let signedData: Self = [1, 2, 840, 113_549, 1, 7, 2]
  static let contentType: Self = [1, 2, 840, 113_549, 1, 9, 3]
  static let messageDigest: Self = [1, 2, 840, 113_549, 1, 9, 4]
  static let sha256: Self = [2, 16, 840, 1, 101, 3, 4, 2, 1]
  static let ecdsaWithSHA256: Self = [1, 2, 840, 10_045, 4, 3, 2]
}
