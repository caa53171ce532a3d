extension Schema {
  /// Files attached to samples, split into pieces, so that readers need not load an entire file.
  static let attachments = """
    CREATE TABLE attachment (
      id INTEGER PRIMARY KEY,
      uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
      sample INTEGER REFERENCES sample ON DELETE CASCADE, -- NULL: while another takes its sample's place
      name TEXT NOT NULL, content_type TEXT NOT NULL,
      size INTEGER NOT NULL, -- bytes
      created INTEGER NOT NULL, -- microseconds since 1970
      metadata INTEGER REFERENCES metadata
    ) STRICT;
    CREATE INDEX attachment_sample ON attachment (sample);
    CREATE TABLE attachment_piece (
      attachment INTEGER NOT NULL REFERENCES attachment ON DELETE CASCADE,
      place INTEGER NOT NULL, -- from 0
      bytes BLOB NOT NULL,
      UNIQUE (attachment, place)
    ) STRICT;
    """
}
