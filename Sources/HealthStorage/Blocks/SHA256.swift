internal import COpenSSL

/// SHA-256 (FIPS 180-4), computed by the system's libcrypto.
package enum SHA256 {
  /// Fetched once: a lookup by name takes longer than the digest of a sample. The library context is our own,
  /// because the default one obeys `openssl.cnf`, which may disable algorithms, and the identities of stored
  /// samples depend on this one.
  // Immutable after its creation, and libcrypto lets all threads use it.
  private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(OSSL_LIB_CTX_new(), "SHA256", nil)

  /// Calls a closure with the 32 bytes of the digest of a message.
  package static func withDigest<Result>(
    of message: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: MemoryLayout<UInt64>.alignment) { digest in
      let status = EVP_Digest(message.baseAddress, message.count, digest.baseAddress, nil, algorithm, nil)
      // The default provider of libcrypto always has SHA-256: only an allocation can fail.
      precondition(status == 1, "libcrypto has no memory for a SHA-256 digest")
      return body(UnsafeRawBufferPointer(digest))
    }
  }
}
