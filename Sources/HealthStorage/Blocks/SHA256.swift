internal import COpenSSL

/// SHA-256 (FIPS 180-4), computed by the system's libcrypto.
package enum SHA256 {
  /// The algorithm. It is fetched once, because fetching it by name takes longer than hashing one sample. It
  /// has its own library context, because the default one reads `openssl.cnf`, which may disable algorithms,
  /// and the UUIDs of stored samples depend on this one.
  // It is immutable, and libcrypto allows its use by several threads.
  private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(OSSL_LIB_CTX_new(), "SHA256", nil)

  /// Calls `body` with the 32 bytes of the SHA-256 digest of a message.
  package static func withDigest<Result>(
    of message: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: MemoryLayout<UInt64>.alignment) { digest in
      let status = EVP_Digest(message.baseAddress, message.count, digest.baseAddress, nil, algorithm, nil)
      // libcrypto always has SHA-256, so this fails only if memory is exhausted.
      precondition(status == 1, "libcrypto has no memory for a SHA-256 digest")
      return body(UnsafeRawBufferPointer(digest))
    }
  }
}
