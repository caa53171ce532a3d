import Crypto
import Foundation
import SwiftASN1

extension SignedDataMessage {
  /// Whether `key` signed `content`.
  ///
  /// - Throws: what is wrong with the first signer, if no signer holds.
  func verify(_ content: ArraySlice<UInt8>, with key: P256.Signing.PublicKey) throws(SignatureError) {
    var first: SignatureError?
    for signer in signers {
      do {
        return try signer.verify(content, of: contentType, with: key)
      } catch {
        first = first ?? error
      }
    }
    guard let first else { return }
    guard first.code == .signatureMismatch, isSignedByCertificate(content, otherThan: key) else {
      throw first
    }
    throw SignatureError(
      .otherKey, "signed with the key of a certificate in the message, not with the known key")
  }

  /// Whether the key of a certificate in the message made a signature that `key` did not. It makes nothing
  /// valid, it only tells a record signed by somebody else from one that was altered.
  private func isSignedByCertificate(_ content: ArraySlice<UInt8>, otherThan key: P256.Signing.PublicKey)
    -> Bool
  {
    certificates.prefix(Self.mostSigners).contains { certificate in
      guard let other = try? CertificateKey.of(certificate), other.rawRepresentation != key.rawRepresentation
      else {
        return false
      }
      return signers.contains { (try? $0.verify(content, of: contentType, with: other)) != nil }
    }
  }
}

extension SignerInfo {
  fileprivate func verify(
    _ content: ArraySlice<UInt8>, of type: ASN1ObjectIdentifier, with key: P256.Signing.PublicKey
  ) throws(SignatureError) {
    guard digestAlgorithm.isSHA256 else {
      throw SignatureError(.unsupportedAlgorithm, "digest \(digestAlgorithm.identifier) is not SHA-256")
    }
    guard signatureAlgorithm.isECDSAWithSHA256 else {
      throw SignatureError(
        .unsupportedAlgorithm, "signature \(signatureAlgorithm.identifier) is not ECDSA with SHA-256")
    }
    // With attributes the signature covers these, and they the content. One cannot be passed off as the
    // other: an attribute begins with an object identifier and a record's entry with a text.
    guard let attributes else {
      guard type == .data else {
        throw SignatureError(.notSignedData, "content that is not id-data needs signed attributes")
      }
      return try check(content, with: key)
    }
    try check(attributes.signedBytes, with: key)
    guard attributes.contentType == type else {
      throw SignatureError(.digestMismatch, "signed as another type of content")
    }
    guard SHA256.hash(data: content).elementsEqual(attributes.messageDigest) else {
      throw SignatureError(.digestMismatch, "the signed digest is of another content")
    }
  }

  private func check(_ bytes: some DataProtocol, with key: P256.Signing.PublicKey) throws(SignatureError) {
    guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
      throw SignatureError(.signatureMismatch, "the signature value is not of ECDSA with P-256")
    }
    guard key.isValidSignature(signature, for: bytes) else {
      throw SignatureError(.signatureMismatch, "the known key did not make this signature of this content")
    }
  }
}
