import forgetBucket from "./sql/forget-bucket.sql";
import forgetBucketsAfter from "./sql/forget-buckets-after.sql";
import forgetBucketsBetween from "./sql/forget-buckets-between.sql";
import listBuckets from "./sql/list-buckets.sql";
import putBucket from "./sql/put-bucket.sql";
import selectBucket from "./sql/select-bucket.sql";
import selectBucketAfter from "./sql/select-bucket-after.sql";

/** The statements of buckets, by name. */
export const BUCKET_SQL = {
  forgetBucket,
  forgetBucketsAfter,
  forgetBucketsBetween,
  listBuckets,
  putBucket,
  selectBucket,
  selectBucketAfter,
};
